/**
 * What every script needs before it can work: the packages, the pinned Node and a console that fits
 * its sources. Runs on any Node from 20.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')

const MODULES = join(ROOT, 'node_modules')
const INSTALL_STAMP = join(MODULES, '.sallyport-stamp')
const CONSOLE = join(ROOT, 'apps/console')
const NOT_INSTALLED =
  'The packages could not be installed: see what npm says above. (libatomic.so.1 is in Debian’s package libatomic1.)'
const SERVER = join(ROOT, 'apps/server')
export const BUNDLED_SERVER = join(SERVER, 'dist')
const WORKSPACES = ['apps/server', 'apps/console', 'packages/contract', 'packages/client', 'packages/cli']
/** Parameters of npm. */
const INSTALL = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
const FOR_RUNNING = ['--omit=dev', '--workspace', '@sallyport/server', '--include-workspace-root']

/**
 * Installs packages when there are none or package-lock.json has changed since; returns the pinned
 * Node's path.
 */
export function install() {
  const wanted = hashOf([join(ROOT, 'package-lock.json')])
  const node = join(MODULES, 'node/bin/node')
  // The stamp says that this Node has run.
  if (readStamp(INSTALL_STAMP) === wanted && existsSync(node)) return node
  removeLinks()
  console.log('Installing packages …')
  // Not `npm ci`: it refuses a lock file that lacks optional packages of other platforms, and
  // begins by removing everything.
  if (!npm(INSTALL)) fail(NOT_INSTALLED)
  findNode()
  writeFileSync(INSTALL_STAMP, wanted)
  return node
}

/** The packages and the console that were made in a copy of the product, by their paths in it. */
export function madeIn(root) {
  const workspaces = ['apps', 'packages'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(group, name)),
  )
  return [
    'node_modules',
    'apps/console/dist',
    ...workspaces.map((workspace) => join(workspace, 'node_modules')),
  ].filter((path) => lstatSync(join(root, path), { throwIfNoEntry: false }))
}

/** Where a release was made, what is made here are links into it, which is not to be touched. */
function removeLinks() {
  for (const path of madeIn(ROOT)) if (lstatSync(join(ROOT, path)).isSymbolicLink()) rmSync(join(ROOT, path))
}

/**
 * Leaves only the packages that the server runs with, once the console is built; returns the pinned
 * Node's path.
 */
export function installForRunning() {
  rmSync(MODULES, { recursive: true, force: true })
  if (!npm([...INSTALL, ...FOR_RUNNING])) fail(NOT_INSTALLED)
  return findNode()
}

/**
 * Installs what the server runs with on Linux with glibc on a processor, which may be another one
 * than ours, into a folder that is kept: no script of a package runs. Answers the folder.
 */
export function installFor(processor, folder) {
  const lockFile = join(ROOT, 'package-lock.json')
  const stamp = join(folder, '.stamp')
  const wanted = hashOf([lockFile])
  if (readStamp(stamp) === wanted) return folder
  rmSync(folder, { recursive: true, force: true })
  for (const path of ['.', ...WORKSPACES]) {
    mkdirSync(join(folder, path), { recursive: true })
    copyFileSync(join(ROOT, path, 'package.json'), join(folder, path, 'package.json'))
  }
  copyFileSync(lockFile, join(folder, 'package-lock.json'))
  const platform = ['--os=linux', `--cpu=${processor}`, '--libc=glibc', '--ignore-scripts', '--prefer-offline']
  if (!npm([...INSTALL, ...FOR_RUNNING, ...platform], folder)) fail(NOT_INSTALLED)
  writeFileSync(stamp, wanted)
  return folder
}

function npm(parameters, folder = ROOT) {
  const { status, error } = spawnSync('npm', parameters, {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: undefined },
  })
  if (error) fail(`npm could not be started (${error.message}): install Node.js 20 or newer together with npm.`)
  return status === 0
}

/**
 * The Node that the product is made for. The npm package fetches it in an install script; where npm
 * was ordered to run none, the package of this platform is fetched here.
 */
function findNode() {
  const path = join(MODULES, 'node/bin/node')
  if (worksAsNode(path)) return path
  const { version } = JSON.parse(readFileSync(join(MODULES, 'node/package.json'), 'utf8'))
  const name = `node-${process.platform}-${process.arch}`
  const store = join(ROOT, '.cache/node')
  const binary = join(store, 'node_modules', name, 'bin/node')
  if (!worksAsNode(binary)) {
    console.log(`Fetching Node ${version} …`)
    mkdirSync(store, { recursive: true })
    writeFileSync(join(store, 'package.json'), '{ "private": true }\n')
    if (
      !npm([
        'install',
        '--prefix',
        store,
        '--no-save',
        '--no-audit',
        '--no-fund',
        '--ignore-scripts',
        `${name}@${version}`,
      ]) ||
      !existsSync(binary)
    ) {
      fail(`Node ${version} could not be fetched: see what npm says above.`)
    }
    chmodSync(binary, 0o755)
  }
  mkdirSync(dirname(path), { recursive: true })
  rmSync(path, { force: true })
  try {
    linkSync(binary, path)
  } catch {
    copyFileSync(binary, path)
  }
  const command = join(MODULES, '.bin/node')
  if (!existsSync(command)) {
    rmSync(command, { force: true })
    symlinkSync('../node/bin/node', command)
  }
  if (!worksAsNode(path)) fail(`${path} does not run on this machine.`)
  return path
}

function worksAsNode(path) {
  if (!existsSync(path)) return false
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
  return /^v\d+/.test(stdout ?? '') && Number(stdout.slice(1).split('.')[0]) >= 26
}

/** A copy of the console: a test that tries a build works there while browsers are shown the last one. */
const NO_SOURCES = ['dist', 'node_modules', 'test-results']

/** A hash of all that the console is built from. */
export function consoleSources() {
  return hashOf([
    join(ROOT, 'package-lock.json'),
    join(ROOT, 'packages/contract/src'),
    ...readdirSync(CONSOLE, { withFileTypes: true })
      .filter((entry) => !NO_SOURCES.includes(entry.name) && !entry.name.endsWith('.tsbuildinfo'))
      .map((entry) => join(CONSOLE, entry.name)),
  ])
}

/** Builds the console when its sources have changed since the last build; false when that fails. */
export function buildConsole(node) {
  return build('console', CONSOLE, consoleSources(), node, () => [
    findProgram('vite', CONSOLE),
    'build',
    '--logLevel',
    'warn',
  ])
}

/** Bundles the server when its sources have changed since that was done last; false when that fails. */
export function buildServer(node) {
  const bundling = join(ROOT, 'scripts/bundle-server.mjs')
  const sources = [join(ROOT, 'package-lock.json'), join(ROOT, 'packages/contract/src'), join(SERVER, 'src'), bundling]
  return build('server', SERVER, hashOf(sources), node, () => [bundling])
}

/** @param {string} wanted the hash of its sources */
function build(name, folder, wanted, node, parameters) {
  const stamp = join(folder, 'dist/.stamp')
  if (readStamp(stamp) === wanted) return true
  console.log(`Building the ${name} …`)
  const { status } = spawnSync(node, parameters(), { cwd: folder, stdio: 'inherit' })
  if (status === 0) writeFileSync(stamp, wanted)
  return status === 0
}

/**
 * The script behind a command of a package, as npm has installed it for that workspace or for all.
 */
export function findProgram(name, folder = ROOT) {
  const path = [join(folder, 'node_modules/.bin', name), join(MODULES, '.bin', name)].find((one) => existsSync(one))
  return path ? realpathSync(path) : fail(`${name} is not installed: remove node_modules and try again.`)
}

/** One hash over names and contents of files and of all files in folders. */
function hashOf(paths) {
  const hash = createHash('sha256')
  for (const path of paths.sort()) {
    const entries = readdirOrNothing(path)
    if (entries)
      hash
        .update(`${path}\n`)
        .update(hashOf(entries.filter((name) => !/\.test\.tsx?$/.test(name)).map((name) => join(path, name))))
    else hash.update(`${path}\n`).update(readFileSync(path))
  }
  return hash.digest('hex')
}

function readdirOrNothing(path) {
  try {
    return readdirSync(path)
  } catch (error) {
    if (error.code === 'ENOTDIR') return undefined
    throw error
  }
}

function readStamp(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/**
 * Runs a program to its end and ends as it does. Signals are passed on, once, and only by us: it is
 * in a process group of its own, or Ctrl-C would reach it twice. The channel tells it when we are
 * killed.
 */
export function become(program, parameters, environment = process.env) {
  const child = spawn(program, parameters, {
    cwd: ROOT,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: true,
    env: environment,
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => fail(error.message))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 1)))
  return child
}

export function fail(message) {
  console.error(message)
  process.exit(1)
}
