/** Looks for what is wrong with an installation, whether it runs or not (docs/doctor.md). */
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { loadConfig, readConfigFile } from '../config.ts'
import { ConfigError } from '../config-error.ts'
import { doctorChecks } from '../doctor-checks.ts'
import { type Check, notChecked, wrong } from '../kernel/doctor/check.ts'
import {
  allWith,
  type Finding,
  inWords,
  runChecks,
  type ShownFinding,
  sortFindings,
} from '../kernel/doctor/run-checks.ts'
import { supportArchive } from '../kernel/doctor/support-archive.ts'
import { type Language, translate } from '../kernel/i18n/translate.ts'
import { inTime } from '../kernel/in-time.ts'
import { LOG_LINES } from '../kernel/log-tail.ts'
import { startSettings } from '../start-settings.ts'
import { placeOnCommandLine } from './doctor-place.ts'
import { languageOf } from './terminal-language.ts'
import { WrongUse } from './wrong-use.ts'

/** How long connections may take to end. */
const LEAVE_MS = 2_000

export const USAGE = `sallyport-admin doctor [--json] [--language cn|en] [--time-server HOST]
                       [--bundle FILE [--log FILE]]

  --json         the findings as JSON
  --language     cn or en; that of this terminal when not given
  --time-server  compare the clock with this one (HOST or HOST:PORT), instead of that which the machine names
  --bundle       write an archive for those who support you, without secrets (docs/doctor.md)
  --log          a file whose last lines go into it; - for the standard input

It changes nothing. It ends with 1 when something is wrong, and with 0 when there are warnings at most.`

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      json: { type: 'boolean', default: false },
      language: { type: 'string' },
      'time-server': { type: 'string' },
      bundle: { type: 'string' },
      log: { type: 'string' },
    },
  })
  const language = languageOf(values.language)
  if (values.log && !values.bundle) throw new WrongUse('--log goes with --bundle')
  const log = values.log ? await readLog(values.log) : []
  const place = placeOf(values['time-server'])
  try {
    const findings = (await findAll(place)).map((finding) => inWords(finding, language))
    if (values.json) console.log(JSON.stringify({ date: new Date().toISOString(), findings }, null, 2))
    else print(findings, language)
    if (values.bundle) await writeBundle(values.bundle, { place, findings, log, language, quiet: values.json })
    process.exitCode = findings.some(({ state }) => state === 'error') ? 1 : 0
  } finally {
    if ('close' in place) await inTime(place.close(), LEAVE_MS, () => new Error()).catch(() => {})
    // A check that hangs must not keep the command.
    setTimeout(() => process.exit(), LEAVE_MS).unref()
  }
}

type CommandPlace = ReturnType<typeof placeOnCommandLine>

/** Where the checks run, or why the settings give no such place. */
function placeOf(timeServer: string | undefined): CommandPlace | ConfigError {
  try {
    return placeOnCommandLine(loadConfig(process.env, readConfigFile(process.env)), timeServer)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
}

async function findAll(place: CommandPlace | ConfigError): Promise<Finding[]> {
  const checks = await doctorChecks()
  return place instanceof ConfigError ? withWrongSettings(checks, place) : runChecks(checks, place)
}

interface Bundle {
  place: CommandPlace | ConfigError
  findings: readonly ShownFinding[]
  log: readonly string[]
  language: Language
  quiet: boolean
}

async function writeBundle(path: string, { place, findings, log, language, quiet }: Bundle): Promise<void> {
  const known = place instanceof ConfigError ? undefined : place
  const archive = await supportArchive({
    place: known,
    findings: { [hostname()]: findings },
    startSettings: known ? startSettings(known.config) : [],
    log,
  })
  await writeFile(path, archive, { mode: 0o600 })
  if (!quiet)
    console.log(
      translate(language, '{{path}}: a support archive without secrets. Look through it before you pass it on.', {
        path,
      }),
    )
}

async function readLog(path: string): Promise<string[]> {
  const stream = path === '-' ? process.stdin : createReadStream(path)
  const lines: string[] = []
  for await (const line of createInterface({ input: stream })) {
    lines.push(line)
    if (lines.length > LOG_LINES) lines.shift()
  }
  return lines
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
