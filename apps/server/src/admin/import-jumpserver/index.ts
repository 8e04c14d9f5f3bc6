/** Imports a database of JumpServer (docs/moving-from-jumpserver.md). */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { loadConfig, readConfigFile } from '../../config.ts'
import { openDatabase } from '../../kernel/database/database.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import { registerKeys } from '../../kernel/secrets/installation-key.ts'
import { readKeys as readOwnKeys } from '../../kernel/secrets/key-source.ts'
import { createVault } from '../../kernel/secrets/vault.ts'
import { connectionOfInstallation } from '../running-database.ts'
import { languageOf } from '../terminal-language.ts'
import { WrongUse } from '../wrong-use.ts'
import { importMadeBefore, proveInto } from './reach/prove-command.ts'
import { COLLECT_EARLY } from './report/collect-early.ts'
import { fileBeside } from './report/file-beside.ts'
import { linesOf } from './report/print.ts'
import { Report } from './report/report.ts'
import { headOf, stoppedAt, writeReport } from './report/report-file.ts'
import { type Come, runImport } from './run-import.ts'
import { readKeys, secretKeys } from './secrets/index.ts'
import { openSource } from './source/open-source.ts'
import { takeBackInto } from './take-back/take-back-command.ts'

export const USAGE = `sallyport-admin import-jumpserver --database mysql://… --secret-key-file config.txt [options]

  --database         their database: mysql://user:password@host:port/name, mariadb://… or postgres://…
                     It is only read. JUMPSERVER_DATABASE when not given, which no list of processes shows
  --secret-key-file  config.txt or config.yml of JumpServer, or a file with its SECRET_KEY. May be given
                     again for keys of earlier times
  --media            folder data/media of JumpServer on this machine, for the recordings. They are played from
                     where they lie: mount it for reading
  --copy-recordings  copy them here instead; also those that an earlier run has left there
  --history-from     day such as 2026-01-31: sessions, commands and logs from before do not come
  --settings-with-addresses
                     settings with addresses and secrets come, too: the mail server, messengers, links
  --jobs             jobs come as runbooks, which everybody of their organization can read and run
  --dry-run          only say what comes, what changes on the way and what stays behind
  --prove            only compare what each user reaches there and here, of an import made before
  --take-back        remove what an import brought and nobody has changed here since; with --dry-run only
                     say what. --database only where several JumpServers were imported
  --report           file for the whole report; import-jumpserver.txt when not given. Rights that differ
                     are in import-jumpserver-rights.txt, what was taken back in
                     import-jumpserver-taken-back.txt
  --language         cn or en; that of this terminal when not given

Run it as often as you like until the day of the move: what changed there comes again, and what was
changed here since stays. It ends with the code 2 where users do not reach the same as there.`

const OPTIONS = {
  database: { type: 'string' },
  'secret-key-file': { type: 'string', multiple: true, default: [] as string[] },
  media: { type: 'string' },
  'copy-recordings': { type: 'boolean', default: false },
  'history-from': { type: 'string' },
  'settings-with-addresses': { type: 'boolean', default: false },
  jobs: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  prove: { type: 'boolean', default: false },
  'take-back': { type: 'boolean', default: false },
  report: { type: 'string', default: 'import-jumpserver.txt' },
  language: { type: 'string' },
} as const

export async function run(args: string[]): Promise<void> {
  // By a node for the page: all that it needs comes on its input.
  if (args.length === 1 && args[0] === '--steered') return (await import('./steered/steered.ts')).runSteered()
  setFlagsFromString(COLLECT_EARLY)
  const { values } = parseArgs({ args, options: OPTIONS })
  const address = values.database ?? process.env.JUMPSERVER_DATABASE
  if (!address && !values['take-back']) throw new WrongUse('Say which database: --database')
  if (!values['secret-key-file'].length && !values.prove && !values['take-back'])
    throw new WrongUse('Say which key opens its secrets: --secret-key-file')
  const history = {
    ...(values.media === undefined ? {} : { media: resolve(values.media) }),
    ...(values['history-from'] === undefined ? {} : { from: dayOf(values['history-from']) }),
    isCopied: values['copy-recordings'],
  }
  if (history.isCopied && !history.media) throw new WrongUse('--copy-recordings needs --media')
  const settings = { withAddresses: values['settings-with-addresses'] }
  const language = languageOf(values.language)
  const files = await Promise.all(values['secret-key-file'].map((file) => readKeys(file)))
  const config = loadConfig(process.env, readConfigFile(process.env))
  const { db, pool, close } = openDatabase(await connectionOfInstallation(config))
  const user = process.env.SUDO_USER ?? process.env.USER ?? 'root'
  const file = resolve(values.report)
  try {
    if (values['take-back'])
      return await takeBackInto(fileBeside(file, 'taken-back'), {
        db,
        address,
        isDryRun: values['dry-run'],
        user,
        language,
      })
    const secrets = createVault(await registerKeys(pool, await readOwnKeys(config)))
    const source = await openSource(address ?? '')
    try {
      const prove = (come: Come) => proveInto(fileBeside(file, 'rights'), come, language)
      if (values.prove) return console.log((await prove(await importMadeBefore(db, source))).join('\n').trimStart())
      const report = new Report()
      let proof: string[] = []
      const write = (head: string, last: readonly string[] = []) =>
        writeReport(file, { head, kinds: report.kinds, last, language })
      let stage = ''
      const result = await runImport({
        ...{ db, pool, secrets, source, config, history, settings, report },
        keys: secretKeys(files.flatMap((one) => one.keys)),
        withJobs: values.jobs,
        isDryRun: values['dry-run'],
        user,
        progress(label) {
          stage = label
          console.error(`${translate(language, label)} …`)
        },
        async afterwards(come) {
          stage = 'Who reaches what'
          proof = await prove(come)
        },
      }).catch(async (error: unknown) => {
        if (report.kinds.length) await write(stoppedAt(stage, values['dry-run'], language))
        throw error
      })
      const head = headOf(result.version.name, source.address, values['dry-run'], language)
      await write(head, proof)
      console.log([head, ...linesOf(result.report.kinds, language), ...proof].join('\n'))
      console.log(`\n${translate(language, 'The whole report is in {{file}}.', { file })}`)
    } finally {
      await source.close()
    }
  } finally {
    await close()
  }
}

function dayOf(text: string): Date {
  const day = new Date(`${text}T00:00:00Z`)
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text)
    throw new WrongUse('--history-from must be a day such as 2026-01-31')
  return day
}
