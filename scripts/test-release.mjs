/**
 * `npm run test:release [-- word …]`: installs the archive of this machine's kind in fresh systems
 * and as a container, without a network, up to the first session. Makes what is missing: the
 * archives of the commit, and fresh systems by debootstrap. Needs root.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findHelm, helmRunsHere } from './helm.mjs'
import { fail, findProgram, ROOT } from './prepare.mjs'
import { fetchArm64Libraries, makeFreshSystems } from './release/systems.mjs'
import { installSystemPackages, RELEASE_PACKAGES } from './system-packages.mjs'

if (process.getuid() !== 0) fail('npm run test:release needs root: it makes whole systems.')
installSystemPackages(Object.keys(RELEASE_PACKAGES), 'The tests of a release need')
makeFreshSystems()
fetchArm64Libraries()
if (helmRunsHere) findHelm()
if (!isMadeOfThisCommit()) {
  const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts/release/index.mjs')], { stdio: 'inherit' })
  if (status !== 0) fail('The release could not be made: see above.')
}
const vitest = [findProgram('vitest'), 'run', '--config', 'scripts/release/vitest.config.mjs', ...process.argv.slice(2)]
// A network of its own, in which there is nothing: what reaches for another machine fails.
const { status } = spawnSync(
  'unshare',
  ['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', process.execPath, ...vitest],
  { stdio: 'inherit', cwd: ROOT },
)
process.exitCode = status ?? 1

function isMadeOfThisCommit() {
  const file = join(ROOT, 'dist/provenance.intoto.json')
  if (!existsSync(file)) return false
  const { resolvedDependencies, internalParameters } = JSON.parse(readFileSync(file, 'utf8')).predicate.buildDefinition
  const git = (...words) => spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' }).stdout.trim()
  return (
    resolvedDependencies[0].digest.gitCommit === git('rev-parse', 'HEAD') &&
    !internalParameters.uncommittedChanges &&
    git('status', '--porcelain') === ''
  )
}
