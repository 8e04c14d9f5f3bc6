/**
 * Releases: whole copies of the product beside the checkout, of which `current` names the one that
 * the next start runs. What runs stays whole until then: neither an upgrade of the checkout nor a
 * setup touches a file that it may still read.
 */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fail, madeIn, ROOT } from './prepare.mjs'

const RELEASES = join(ROOT, 'releases')
const CURRENT = join(ROOT, 'current')
const UNFINISHED = '.new-'
/** Packages and console of a checkout that ran before it had releases. */
const BEFORE = '.before'
/** Parts of a release; some are only there to build console and server. */
const SOURCES = [
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'LICENSE',
  'apps',
  'packages',
  'bin',
  'scripts',
]
const NOT_COPIED = /(?:^|\/)(?:node_modules|dist|test-results|coverage)$|\.tsbuildinfo$/
const NOTHING_CHANGED = 'Nothing was changed: what is there runs on, and starts again.'

/** Makes a release of this checkout and switches to it, or ends with what is there as it was. */
export function makeRelease() {
  // Services have accounts of their own, which only read here.
  process.umask(0o022)
  mkdirSync(RELEASES, { recursive: true })
  removeLeftOvers()
  const fresh = join(RELEASES, `${UNFINISHED}${process.pid}`)
  process.on('exit', () => rmSync(fresh, { recursive: true, force: true }))
  for (const name of SOURCES)
    cpSync(join(ROOT, name), join(fresh, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !NOT_COPIED.test(path),
    })
  const { status } = spawnSync(process.execPath, [join(fresh, 'scripts/setup.mjs'), '--production', '--here'], {
    cwd: fresh,
    stdio: 'inherit',
  })
  if (status !== 0 || !loads(fresh)) fail(NOTHING_CHANGED)
  const release = join(RELEASES, new Date().toISOString().replaceAll(/[:.]/g, '-'))
  renameSync(fresh, release)
  const before = currentRelease()
  switchTo(release)
  linkWhatIsMade()
  removeOthers([release, before])
  console.log(`Made ${release}: restart Sallyport to run it. npm run setup -- --back goes back.`)
}

/** Switches to the release that was made before the current one. */
export function goBack() {
  const now = basename(currentRelease() ?? '')
  const before = releases()
    .filter((name) => name < now)
    .at(-1)
  if (!before) fail('There is no earlier release to go back to.')
  switchTo(join(RELEASES, before))
  console.log(`${before} is current again: restart Sallyport to run it.`)
}

/** The folder of the release that the next start runs; undefined where none was made. */
export function currentRelease() {
  return existsSync(CURRENT) ? realpathSync(CURRENT) : undefined
}

/** Their names, the oldest first. */
const releases = () =>
  readdirSync(RELEASES)
    .filter((name) => !name.startsWith('.'))
    .sort()

/** Whether all the code of the server is found, with the packages that it needs. */
function loads(release) {
  const server = pathToFileURL(join(release, 'apps/server/dist/server.js')).href
  const node = join(release, 'node_modules/node/bin/node')
  const program = `await import(${JSON.stringify(server)}); process.exit()`
  return (
    spawnSync(node, ['--input-type=module', '-e', program], { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
  )
}

/** A rename puts the new link in the place of the old one: there is no moment without. */
function switchTo(release) {
  replaceByLink(CURRENT, relative(ROOT, release))
}

function replaceByLink(path, target) {
  const link = `${path}.new`
  rmSync(link, { force: true })
  symlinkSync(target, link)
  renameSync(link, path)
}

/** Packages and console of the checkout are those of the current release, also by their old paths. */
function linkWhatIsMade() {
  const before = join(RELEASES, BEFORE)
  for (const path of new Set([...madeIn(CURRENT), ...madeIn(ROOT)])) {
    const place = join(ROOT, path)
    // Aside and not away: who runs from there reads them, perhaps.
    if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) {
      const aside = join(before, path)
      rmSync(aside, { recursive: true, force: true })
      mkdirSync(dirname(aside), { recursive: true })
      renameSync(place, aside)
    }
    if (existsSync(join(CURRENT, path))) replaceByLink(place, relative(dirname(place), join(CURRENT, path)))
    else rmSync(place, { force: true })
  }
}

/** Remains of a setup that was killed, and the files from before the first release. */
function removeLeftOvers() {
  const used = inUse()
  for (const name of readdirSync(RELEASES))
    if (
      (name.startsWith(UNFINISHED) && !isRunning(Number(name.slice(UNFINISHED.length)))) ||
      (name === BEFORE && !used.includes(BEFORE))
    )
      rmSync(join(RELEASES, name), { recursive: true, force: true })
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Releases that are neither to be kept nor run by anybody. */
function removeOthers(kept) {
  const names = new Set([...kept.filter(Boolean).map((path) => basename(path)), ...inUse()])
  for (const name of releases()) if (!names.has(name)) rmSync(join(RELEASES, name), { recursive: true, force: true })
}

/** The releases whose programs run, as far as this account may see. */
function inUse() {
  if (!existsSync('/proc')) return [BEFORE, ...releases()]
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const program = readlinkSync(`/proc/${pid}/exe`)
        return program.startsWith(`${RELEASES}/`) ? [relative(RELEASES, program).split('/')[0]] : []
      } catch {
        return []
      }
    })
}
