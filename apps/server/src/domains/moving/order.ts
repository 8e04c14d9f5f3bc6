/**
 * What passes between a node and the program that imports: the order on its input, news on its output.
 * So neither an address nor a key is on a command line, where all of the machine would read it.
 */
import type { MoveTask } from '@sallyport/contract/resources/moving/jumpserver-move.ts'
import type pg from 'pg'
import type { Config } from '../../kernel/config.ts'
import type { Language } from '../../kernel/i18n/translate.ts'

/** The first line of the input. The program ends when its input does: nobody waits for it any more. */
export interface MoveOrder {
  task: MoveTask
  /** Their database with its password; empty where a taking back needs none. */
  address: string
  /** Each SECRET_KEY, or a configuration that has it. */
  keys: readonly string[]
  /** The import that is taken back; empty for the only one. */
  installation: string
  historyFrom: string
  withAddresses: boolean
  withJobs: boolean
  /** The language of the files. */
  language: Language
  /** A folder of this run alone. */
  folder: string
  /** How this installation is reached, and where its keys and recordings are. */
  database: pg.PoolConfig
  config: Config
}

/** Files in the folder of a run. */
export const REPORT_FILE = 'report.txt'
export const DIFFERENCES_FILE = 'report-rights.txt'

/** A sentence in English, and the values of its places. */
export interface Fault {
  sentence: string
  values?: Readonly<Record<string, string | number>>
}

/** Rows about which the same is said; the first of them by name. */
export interface OutcomeRemark extends Fault {
  count: number
  examples: readonly { name: string; values: Readonly<Record<string, string | number>> }[]
}

export interface OutcomeKind extends Readonly<Record<'read' | 'added' | 'updated' | 'same' | 'behind', number>> {
  label: string
  changed: readonly OutcomeRemark[]
  stays: readonly OutcomeRemark[]
}

/** As a run leaves it: labels and sentences are English, and translated for each reader. */
export interface MoveOutcome {
  counts?: readonly { label: string; count: number }[]
  kinds?: readonly OutcomeKind[]
  proof?: Readonly<Record<'people' | 'rights' | 'lost' | 'gained', number>> & {
    causes: readonly { sentence: string; count: number }[]
  }
  taken?: readonly { label: string; removed: number; stays: number }[]
}

/** One line of the output. */
export interface MoveNews {
  source?: string
  version?: string
  /** The part that begins, the parts before it, and all. */
  stage?: { label: string; done: number; all: number }
  rows?: number
  outcome?: MoveOutcome
  fault?: Fault
}
