/**
 * `npm run trial <name> [runs] [kind]`: a long trial of e2e/trials, of so many runs, some of one kind alone; it ends by itself and
 * prints what it saw. Without a name, says which there are. Needs root, for machines of their own.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail, findProgram, install, ROOT } from './prepare.mjs'

const FOLDER = join(ROOT, 'e2e/trials')
const [name = '', runs, kind] = process.argv.slice(2)
const known = readdirSync(FOLDER).flatMap((file) => /^(.+)\.trial\.ts$/.exec(file)?.[1] ?? [])
if (!existsSync(join(FOLDER, `${name}.trial.ts`)))
  fail(`${name && `There is no trial ${name}. `}Trials: ${known.join(', ')}`)
if (runs !== undefined && !(Number(runs) > 0)) fail(`${runs} is no number of runs.`)
if (kind && !readFileSync(join(FOLDER, `${name}.trial.ts`), 'utf8').includes('TRIAL_KIND'))
  fail(`The trial ${name} has no kinds.`)
const node = install()
const vitest = [findProgram('vitest'), 'run', '--config', join(ROOT, 'e2e/trials/vitest.config.ts'), `${name}.trial`]
const env = { ...process.env, ...(runs ? { TRIAL_RUNS: runs } : {}), ...(kind ? { TRIAL_KIND: kind } : {}) }
process.exitCode = spawnSync(node, vitest, { cwd: ROOT, stdio: 'inherit', env }).status ?? 1
