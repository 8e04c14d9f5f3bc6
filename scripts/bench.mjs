/**
 * `npm run bench [name …]`: every benchmark in bench/, or those named, one after the other, with
 * the repository's own Node. `--full` measures the list with a million rows as well, and
 * commands with ten million. Ends with 1
 * when one failed.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole, fail, install, ROOT } from './prepare.mjs'
import { installSystemPackages } from './system-packages.mjs'

/** In bench/, but measuring nothing by themselves. */
const HELPERS = [
  'bare-hop',
  'command-rows',
  'command-rules',
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

const failed = wanted.filter((name) => {
  console.log(`\n— ${name}`)
  return (
    spawnSync(node, [join(ROOT, 'bench', `${name}.ts`)], { cwd: ROOT, stdio: 'inherit', env: environment }).status !== 0
  )
})
if (failed.length) fail(`\nfailed: ${failed.join(', ')}`)
