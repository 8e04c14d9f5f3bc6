import type { Failures, RunCounts } from '@sallyport/contract/resources/ops/adhoc-execution.ts'
import { sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'

/** Limit of the machines of each outcome in an answer about one run. */
const MOST_NAMES = 1000
const WORDS_OF_A_MACHINE = 2000

/** How a run went on its machines, as people read them. */
export interface RunResults {
  stat: RunCounts
  last_success: string[]
  last_failure: Failures
}

/** How runs went, by id. Runs that have no machine yet are missing. */
export async function resultsOfRuns(
  db: Database,
  runs: readonly string[],
  language: Language,
): Promise<ReadonlyMap<string, RunResults>> {
  if (!runs.length) return new Map()
  const { rows } = await db.execute<{
    execution: string
    success: number
    failed: number
    names: string[] | null
    failures: Failures | null
  }>(sql`
    SELECT execution, count(*) FILTER (WHERE is_success)::int AS success, count(*) FILTER (WHERE NOT is_success)::int AS failed,
      array_agg(name ORDER BY name) FILTER (WHERE is_success AND place <= ${MOST_NAMES}) AS names,
      jsonb_object_agg(name, results) FILTER (WHERE NOT is_success AND place <= ${MOST_NAMES}) AS failures
    FROM (SELECT *, row_number() OVER (PARTITION BY execution, is_success ORDER BY name, asset) AS place
      FROM ops_adhoc_execution_host WHERE execution = ANY(${sql.param([...runs])}::uuid[])) host
    GROUP BY execution`)
  return new Map(
    rows.map(({ execution, success, failed, names, failures }) => [
      execution,
      {
        stat: { total: success + failed, success, failed },
        last_success: names ?? [],
        last_failure: failedSteps(failures ?? {}, language),
      },
    ]),
  )
}

/** The failed steps alone, in the reader's language. */
function failedSteps(failures: Failures, language: Language): Failures {
  return Object.fromEntries(
    Object.entries(failures).map(([name, steps]) => [
      name,
      Object.fromEntries(
        Object.entries(steps as Record<string, { ok: boolean; msg?: string }>)
          .filter(([, { ok }]) => !ok)
          .map(([step, { ok, msg, ...more }]) => [
            step,
            { ...more, ...(msg === undefined ? {} : { msg: translate(language, msg).slice(0, WORDS_OF_A_MACHINE) }) },
          ]),
      ),
    ]),
  )
}

/**
 * A value as Python prints it, which is how existing programs read `summary`, `options` and
 * `contents` of tasks.
 */
export function printed(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return `[${value.map(printed).join(', ')}]`
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, one]) => `${printed(key)}: ${printed(one)}`)
      .join(', ')}}`
  const text = String(value).replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return `'${text.replaceAll("'", "\\'")}'`
}
