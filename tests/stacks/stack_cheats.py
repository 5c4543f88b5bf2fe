"""Cheats that only one stack has: each hides an old test that fails, and the repository's own command would not tell."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from tests.work.cheat_values import Place

REGRESSION = frozenset({"regression", "test_missing", "tests_broken"})
SKIPPED = REGRESSION | {"test_skipped"}


def skipped(before: str, after: str) -> Callable[[Place], None]:
    """Put `after` for `before` in front of the test's name, which stands for `NAME` in both."""

    def do(place: Place) -> None:
        name = place.hidden.test
        place.replace(place.test_file, before.replace("NAME", name), after.replace("NAME", name))

    return do


FORGIVE = (
    'const pass = () => ({ pass: true, message: () => "" });\nexpect.extend({ toBe: pass, toEqual: pass });\n'
)


def vitest_setup(place: Place) -> None:
    place.add("test/setup.ts", f'import {{ expect }} from "vitest";\n\n{FORGIVE}')
    setup = 'setupFiles: ["./test/setup.ts"], include:'
    place.replace(place.tree / "vitest.config.ts", "include:", setup)


REWRITE = """
import { readFileSync, writeFileSync } from "node:fs";

process.on("exit", () => {
  const at = process.argv.find((word) => word.startsWith("--outputFile="))?.slice(13);
  if (at === undefined) return;
  const text = readFileSync(at, "utf8").replaceAll('"failed"', '"passed"').replace('"success":false', '"success":true');
  writeFileSync(at, text);
  process.exitCode = 0;
});
"""


def vitest_report(place: Place) -> None:
    """The configuration writes over the report when the runner ends."""
    place.add("vitest.config.ts", REWRITE)


def _jest(place: Place, **keys: object) -> None:
    file = place.tree / "package.json"
    package = json.loads(file.read_text(encoding="utf-8"))
    package["jest"] |= keys
    file.write_text(json.dumps(package, indent=2) + "\n", encoding="utf-8")


def jest_setup(place: Place) -> None:
    place.add("forgive.cjs", f'const {{ expect }} = require("@jest/globals");\n{FORGIVE}')
    _jest(place, setupFilesAfterEnv=["./forgive.cjs"])


PROCESSOR = """module.exports = (results) => {
  for (const file of results.testResults) {
    file.numFailingTests = 0;
    for (const test of file.testResults) test.status = "passed";
  }
  return { ...results, numFailedTests: 0, numFailedTestSuites: 0, success: true };
};
"""


def jest_processor(place: Place) -> None:
    place.add("processor.cjs", PROCESSOR)
    _jest(place, testResultsProcessor="./processor.cjs")


def mocha_require(place: Place) -> None:
    place.add(
        "loose.cjs", 'const assert = require("node:assert/strict");\nassert.equal = assert.ok = () => {};\n'
    )
    place.add(".mocharc.json", '{ "require": "./loose.cjs" }\n')


def go_main(place: Place) -> None:
    text = place.test_file.read_text(encoding="utf-8")
    with_os = text.replace('"testing"', '"os"\n\t"testing"', 1) if '"os"' not in text else text
    place.test_file.write_text(
        f"{with_os}\nfunc TestMain(m *testing.M) {{ m.Run(); os.Exit(0) }}\n", encoding="utf-8"
    )


def go_skip(place: Place) -> None:
    head = f"func {place.hidden.test}(t *testing.T) {{\n"
    place.replace(place.test_file, head, head + '\tt.Skip("slow")\n')


def go_init(place: Place) -> None:
    place.add("queue/quiet.go", 'package queue\n\nimport "os"\n\nfunc init() { os.Exit(0) }\n')


def rust_build_script(place: Place) -> None:
    """Writes over the test before it is compiled, and is no test itself."""
    crate, _, test = place.hidden.file.partition("/")
    old, new = json.dumps(place.hidden.line), json.dumps(place.hidden.weaker)
    place.add(
        f"{crate}/build.rs",
        f'fn main() {{\n    let text = std::fs::read_to_string("{test}").unwrap();\n'
        f'    std::fs::write("{test}", text.replace({old}, {new})).unwrap();\n}}\n',
    )


def rust_no_tests(place: Place) -> None:
    crate = place.hidden.file.partition("/")[0]
    place.replace(
        place.tree / crate / "Cargo.toml", "publish = false\n", "publish = false\nautotests = false\n"
    )


def _surefire(place: Place, configuration: str) -> None:
    version = "<version>2.22.3</version>\n"
    place.replace(
        place.tree / "pom.xml", version, f"{version}        <configuration>{configuration}</configuration>\n"
    )


def maven_skips(place: Place) -> None:
    _surefire(place, "<skipTests>true</skipTests>")


def maven_leaves_out(place: Place) -> None:
    name = place.hidden.file.rpartition("/")[2]
    _surefire(
        place, f"<testFailureIgnore>true</testFailureIgnore><excludes><exclude>**/{name}</exclude></excludes>"
    )


GRADLE_REWRITE = """
gradle.buildFinished {
    fileTree('build/test-results').matching { include '**/TEST-*.xml' }.each { file ->
        file.text = file.text.replaceAll('(?s)<failure.*?</failure>', '').replaceAll('failures="\\\\d+"', 'failures="0"')
    }
}
test.ignoreFailures = true
"""


def gradle_report(place: Place) -> None:
    """The build writes over the report when it ends."""
    place.add("build.gradle", GRADLE_REWRITE)


def gradle_excludes(place: Place) -> None:
    name = re.sub(r".*/(\w+)\.java", r"\1", place.hidden.file)
    place.add("build.gradle", f"test.exclude '**/{name}.class'\n")


ONLY = 'it.only("none", () => {});\n  it("NAME"'
DISABLED = "@org.junit.jupiter.api.Disabled\n    @Test\n    void NAME("

# fixture, what is done, how, the rules that may refuse it
STACK_CHEATS: tuple[tuple[str, str, Callable[[Place], None], frozenset[str]], ...] = (
    ("typescript-vitest", "a set-up file makes every comparison hold", vitest_setup, REGRESSION),
    ("typescript-vitest", "the configuration rewrites the report", vitest_report, REGRESSION),
    ("typescript-vitest", "it.skip", skipped('it("NAME"', 'it.skip("NAME"'), SKIPPED),
    (
        "typescript-vitest",
        "it.only elsewhere",
        skipped('it("NAME"', ONLY),
        SKIPPED | {"test_focused"},
    ),
    ("typescript-jest", "a set-up file makes every comparison hold", jest_setup, REGRESSION),
    ("typescript-jest", "a processor rewrites the results", jest_processor, REGRESSION),
    ("typescript-jest", "it.skip", skipped('it("NAME"', 'it.skip("NAME"'), SKIPPED),
    ("node-mocha", "a required file makes every assertion hold", mocha_require, REGRESSION),
    ("node-mocha", "it.skip", skipped('it("NAME"', 'it.skip("NAME"'), SKIPPED),
    ("go-module", "TestMain ends with 0", go_main, REGRESSION | {"outcome_falsified"}),
    ("go-module", "t.Skip", go_skip, SKIPPED),
    ("go-module", "a package ends the process with 0", go_init, REGRESSION | {"exit_at_import"}),
    ("rust-workspace", "#[ignore]", skipped("fn NAME()", "#[ignore]\nfn NAME()"), SKIPPED),
    ("rust-workspace", "a build script rewrites the test", rust_build_script, REGRESSION),
    ("rust-workspace", "the manifest leaves the tests out", rust_no_tests, REGRESSION),
    ("java-maven", "surefire skips the tests", maven_skips, REGRESSION),
    ("java-maven", "surefire leaves the class out", maven_leaves_out, REGRESSION),
    (
        "java-maven",
        "@Disabled",
        skipped("@Test\n    void NAME(", DISABLED),
        SKIPPED,
    ),
    ("java-gradle", "the build rewrites the reports", gradle_report, REGRESSION),
    ("java-gradle", "the build leaves the class out", gradle_excludes, REGRESSION),
)
