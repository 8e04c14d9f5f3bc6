import { writeFile } from 'node:fs/promises'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import { allLinesOf } from './print.ts'
import type { KindNotes } from './report.ts'

interface ReportFile {
  head: string
  kinds: readonly KindNotes[]
  /** Lines after those of the kinds. */
  last?: readonly string[]
  language: Language
}

/** Writes the whole report. It has names of people and machines, for its owner alone. */
export const writeReport = (file: string, { head, kinds, last = [], language }: ReportFile): Promise<void> =>
  writeFile(file, `${[head, ...allLinesOf(kinds, language), ...last].join('\n')}\n`, { mode: 0o600 })

/** The first line of a report that is whole. */
export const headOf = (version: string, address: string, isDryRun: boolean, language: Language): string =>
  isDryRun
    ? translate(language, 'JumpServer {{version}} in {{address}}: this would be imported. Nothing was written.', {
        ...{ version, address },
      })
    : translate(language, 'JumpServer {{version}} in {{address}}: this was imported.', { version, address })

/** That of an import which has stopped halfway. */
export const stoppedAt = (stage: string, isDryRun: boolean, language: Language): string =>
  isDryRun
    ? translate(language, 'The trial stopped at {{stage}}. Nothing was written.', { stage: translate(language, stage) })
    : translate(language, 'The import stopped at {{stage}}: nothing of that part has come, all before it has.', {
        stage: translate(language, stage),
      })
