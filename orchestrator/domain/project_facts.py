"""What a manifest's text says about the project, for rules that need no more than that (docs/domain.md, section 3)."""

from __future__ import annotations

import json

from orchestrator.domain.json_types import Json

# Package names as published to npm -> the name people use.
FRONTEND_PACKAGES = {
    "react": "React",
    "react-dom": "React",
    "preact": "Preact",
    "vue": "Vue",
    "svelte": "Svelte",
    "@angular/core": "Angular",
    "solid-js": "Solid",
    "lit": "Lit",
    "ember-source": "Ember",
    "alpinejs": "Alpine.js",
    "jquery": "jQuery",
    "@builder.io/qwik": "Qwik",
    "astro": "Astro",
    "next": "Next.js",
    "nuxt": "Nuxt",
    "gatsby": "Gatsby",
    "@sveltejs/kit": "SvelteKit",
    "@remix-run/react": "Remix",
    "react-native": "React Native",
    "tailwindcss": "Tailwind CSS",
}
DEPENDENCY_FIELDS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")


def frontend_frameworks(package_json_text: str) -> list[str]:
    """Names of the frontend frameworks a `package.json` depends on, sorted; empty when its text is not usable."""
    try:
        data: Json = json.loads(package_json_text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return []
    if not isinstance(data, dict):
        return []
    found: set[str] = set()
    for name in DEPENDENCY_FIELDS:
        packages = data.get(name)
        if isinstance(packages, dict):
            found.update(FRONTEND_PACKAGES[package] for package in packages if package in FRONTEND_PACKAGES)
    return sorted(found)
