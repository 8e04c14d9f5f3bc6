/**
 * `npm run bench [name …]`: every benchmark in bench/, or those named, one after the other, with
 * the repository's own Node. Ends with 1 when one failed.
 *
 *   --full        measures the list with a million rows as well, and commands with ten million
 *   --check       fails on ratios that fell, compared with those of bench/expected.json
 *   --write       records there the ratios of three runs (`--runs=1`: of one)
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { compareRatios, expectationsOf } from './bench-ratios.mjs'
import { buildConsole, fail, install, ROOT } from './prepare.mjs'
import { installSystemPackages } from './system-packages.mjs'

/** In bench/, but measuring nothing by themselves. */
const HELPERS = [
  'bare-hop',
  'command-rows',
  'command-rules',
  'company',
  'database-clients',
  'desktop-recording',
  'figures',
  'installation',
  'load',
  'processor-time',
]

/** Debian packages that a benchmark needs. */
const OPENSSH = ['openssh-server', 'openssh-client']
const NEEDS = {
  console: ['chromium'],
  database: ['postgresql', 'mariadb-server', 'mariadb-client', 'redis-server', 'redis-tools', 'openssl'],
  desktop: ['tigervnc-standalone-server', 'xrdp', 'x11-apps', 'openssl'],
  echo: OPENSSH,
  files: OPENSSH,
  jobs: [...OPENSSH, 'parallel'],
  'new-sessions': OPENSSH,
  nodes: OPENSSH,
  rotation: OPENSSH,
  session: OPENSSH,
  sizing: OPENSSH,
  ssh: OPENSSH,
}

const known = readdirSync(join(ROOT, 'bench'))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replace(/\.ts$/, ''))
  .filter((name) => !HELPERS.includes(name))
  .sort()
const named = process.argv.slice(2).filter((word) => !word.startsWith('-'))
const environment = process.argv.includes('--full')
  ? { BENCH_ROWS: '10000,100000,1000000', BENCH_COMMANDS: '10000000', ...process.env }
  : process.env
const unknown = named.filter((name) => !known.includes(name))
if (unknown.length) fail(`There is no benchmark ${unknown.join(', ')}. Benchmarks: ${known.join(', ')}`)

const wanted = named.length ? named : known
installSystemPackages([...new Set(wanted.flatMap((name) => NEEDS[name] ?? []))], 'These benchmarks need')
const node = install()
if (wanted.includes('console') && !buildConsole(node)) fail('The console could not be built.')

const EXPECTED = join(ROOT, 'bench/expected.json')
const expected = JSON.parse(readFileSync(EXPECTED, 'utf8'))
const isChecked = process.argv.includes('--check')
const isWritten = process.argv.includes('--write')
const runs = Number(process.argv.find((word) => word.startsWith('--runs='))?.slice('--runs='.length) ?? 3)
const directory = mkdtempSync(join(tmpdir(), 'sallyport-ratios-'))

/** Whether the bench succeeded, and the ratios that it handed over. */
function run(name) {
  const file = join(directory, name)
  rmSync(file, { force: true })
  const { status } = spawnSync(node, [join(ROOT, 'bench', `${name}.ts`)], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...environment, BENCH_RATIOS: file },
  })
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  return { isFine: status === 0, ratios: lines.map((line) => JSON.parse(line)) }
}

/** Records the ratios of several runs of a bench; false where one failed. */
function write(name) {
  const all = Array.from({ length: runs }, () => run(name))
  const load = loadavg()[1]?.toFixed(0)
  const measured = `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} processors, load ${load}`
  const found = expectationsOf(
    all.map(({ ratios }) => ratios),
    measured,
  )
  if (Object.keys(found).length) {
    expected[name] = found
    const inOrder = Object.fromEntries(Object.entries(expected).sort(([one], [other]) => (one < other ? -1 : 1)))
    writeFileSync(EXPECTED, `${JSON.stringify(inOrder, null, 2)}\n`)
  }
  return all.every(({ isFine }) => isFine)
}

/** Compares a run of a bench with its expectations; false where a ratio fell. What fails on time alone is said as ever. */
function check(name) {
  const { isFine, ratios } = run(name)
  const { faults, notes } = compareRatios(expected[name] ?? {}, ratios)
  for (const note of notes) console.log(`  ${note}`)
  for (const fault of faults) console.log(`  FELL: ${fault}`)
  if (!isFine) console.log('  (it misses an aim of its own, or ended with an error)')
  if (!ratios.length && !expected[name]) console.log('  (it has no ratio)')
  return !faults.length && (isFine || ratios.length > 0)
}

const failed = wanted.filter((name) => {
  console.log(`\n— ${name}`)
  if (isWritten) return !write(name)
  return isChecked ? !check(name) : !run(name).isFine
})
rmSync(directory, { recursive: true })
if (failed.length) fail(`\nfailed: ${failed.join(', ')}`)
