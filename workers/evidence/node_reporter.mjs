// A reporter for node:test that writes one JSON line a test, with its file: the built-in ones leave the file out.
const line = (value) => JSON.stringify(value) + '\n';

export default async function* report(source) {
  const names = [];
  const printed = new Map(); // file -> the end of its errors: of one that cannot be loaded nothing else tells why
  for await (const { type, data } of source) {
    if (type === 'test:start') names.splice(data.nesting, names.length, data.name);
    if (type === 'test:stderr') printed.set(data.file, ((printed.get(data.file) ?? '') + data.message).slice(-4000));
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const error = data.details?.error;
    const byChildren = error?.failureType === 'subtestsFailed';
    if (data.details?.type === 'suite' && (type === 'test:pass' || byChildren)) continue;
    const todo = data.todo !== undefined && data.todo !== false;
    const skipped = todo || (data.skip !== undefined && data.skip !== false);
    const isFile = data.nesting === 0 && data.file !== undefined && data.name === data.file;
    if (isFile && (type === 'test:pass' || byChildren)) continue;
    const outcome = skipped ? 'skipped' : type === 'test:pass' ? 'passed' : isFile ? 'error' : 'failed';
    const name = isFile ? '' : [...names.slice(0, data.nesting), data.name].join(' > ');
    const said = String(error?.cause?.stack ?? error?.cause ?? error?.message ?? '').slice(0, 4000);
    const message = (isFile && printed.get(data.file)) || said;
    yield line({ outcome, file: data.file ?? '', name, message });
  }
  yield line({ end: true });
}
