/** Looks for what is wrong with an installation, whether it runs or not (docs/doctor.md). */
import { parseArgs } from 'node:util'
import { loadConfig, readConfigFile } from '../config.ts'
import { ConfigError } from '../config-error.ts'
import { doctorChecks } from '../doctor-checks.ts'
import type { Config } from '../kernel/config.ts'
import { type Check, notChecked, wrong } from '../kernel/doctor/check.ts'
import {
  allWith,
  type Finding,
  inWords,
  runChecks,
  type ShownFinding,
  sortFindings,
} from '../kernel/doctor/run-checks.ts'
import { type Language, translate } from '../kernel/i18n/translate.ts'
import { inTime } from '../kernel/in-time.ts'
import { placeOnCommandLine } from './doctor-place.ts'
import { WrongUse } from './wrong-use.ts'

/** How long connections may take to end. */
const LEAVE_MS = 2_000

export const USAGE = `sallyport-admin doctor [--json] [--language cn|en]

  --json      the findings as JSON
  --language  cn or en; that of this terminal when not given

It changes nothing. It ends with 1 when something is wrong, and with 0 when there are warnings at most.`

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { json: { type: 'boolean', default: false }, language: { type: 'string' } },
  })
  const language = values.language ?? languageOfTerminal()
  if (language !== 'cn' && language !== 'en') throw new WrongUse('--language must be cn or en')
  const findings = (await findAll(await doctorChecks())).map((finding) => inWords(finding, language))
  if (values.json) console.log(JSON.stringify({ date: new Date().toISOString(), findings }, null, 2))
  else print(findings, language)
  process.exitCode = findings.some(({ state }) => state === 'error') ? 1 : 0
}

async function findAll(checks: readonly Check[]): Promise<Finding[]> {
  let config: Config
  try {
    config = loadConfig(process.env, readConfigFile(process.env))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return withWrongSettings(checks, error)
  }
  const place = placeOnCommandLine(config)
  try {
    return await runChecks(checks, place)
  } finally {
    await inTime(place.close(), LEAVE_MS, () => new Error()).catch(() => {})
    // What a check left hanging must not keep the command.
    setTimeout(() => process.exit(), LEAVE_MS).unref()
  }
}

/** Sallyport does not start with these settings: what else is wrong is only seen once they are mended. */
function withWrongSettings(checks: readonly Check[], { message }: ConfigError): Finding[] {
  const mend = (say: (english: string) => string) => say('Correct these settings: docs/configure.md lists all of them.')
  const faults = message
    .split('\n')
    .map((line): Finding => ({ name: 'settings', title: 'Settings', ...wrong(() => line, mend) }))
  return sortFindings([
    ...faults,
    ...allWith(
      checks,
      notChecked((say) => say('It needs settings that are right.')),
    ),
  ])
}

/** By the same variables as other programs of the terminal. */
function languageOfTerminal({ LC_ALL, LC_MESSAGES, LANG } = process.env): Language {
  return /^zh/i.test(LC_ALL || LC_MESSAGES || LANG || '') ? 'cn' : 'en'
}

const MARKS = { ok: '✓', 'not checked': '–', warning: '!', error: '✗' } as const

function print(findings: readonly ShownFinding[], language: Language): void {
  for (const { title, subject, state, words, mend } of findings) {
    console.log(`${MARKS[state]} ${title}${subject && ` (${subject})`}: ${words}`)
    if (mend) console.log(`  → ${mend}`)
  }
  const count = (wanted: string) => findings.filter(({ state }) => state === wanted).length
  const values = {
    errors: count('error'),
    warnings: count('warning'),
    good: count('ok'),
    unknown: count('not checked'),
  }
  console.log(
    `\n${translate(language, '{{errors}} wrong, {{warnings}} to look at, {{good}} fine, {{unknown}} not checked', values)}`,
  )
}
