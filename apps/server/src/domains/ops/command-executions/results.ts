import type { CommandOutcomes, HostCounts, HostState } from '@sallyport/contract/resources/ops/command-execution.ts'
import { sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { StoredRow } from '../../../kernel/resource/mount.ts'
import type { opsCommandExecution } from '../tables.ts'

/** Characters of output in one answer, all machines together; each has its share. */
const ANSWER_CHARACTERS = 4_000_000

/** A machine's part of `result` (docs/rules/ops.md#command_execution). */
type HostResult = { cmd: string; stdout: string; stderr: string; rc: number; delta: string } | { err: string }

interface FoundResult extends Record<string, unknown> {
  execution: string
  name: string
  command: string | null
  code: number | null
  stdout: string
  stderr: string
  error: string
  milliseconds: number | null
}

type FinishedRun = Pick<StoredRow<typeof opsCommandExecution>, 'id' | 'is_finished' | 'error' | 'command'>
type RunResult = Record<string, HostResult> | { error: string }

/** `result` of each run by host name, in order, for a reader; empty before the end. */
export async function resultsOf(
  runs: readonly FinishedRun[],
  { db, call: { language } }: { db: Database; call: { language: Language } },
): Promise<RunResult[]> {
  const finished = runs.filter(({ is_finished }) => is_finished).map(({ id }) => id)
  const results = await hostResults(db, finished)
  return runs.map(({ id, error, command }) =>
    error
      ? { error: translate(language, error) }
      : Object.fromEntries(
          (results.get(id) ?? []).map((one) => resultOf({ ...one, error: translate(language, one.error) }, command)),
        ),
  )
}

async function hostResults(db: Database, executions: readonly string[]): Promise<Map<string, FoundResult[]>> {
  const found = new Map<string, FoundResult[]>()
  if (!executions.length) return found
  const { rows } = await db.execute<FoundResult>(sql`
    SELECT execution, name, command, code, left(stdout, share) AS stdout, left(stderr, share) AS stderr, error, milliseconds
    FROM (SELECT h.*, greatest(${ANSWER_CHARACTERS} / 2 / count(*) OVER (), 256)::int AS share
      FROM ops_command_execution_host h WHERE h.execution = ANY(${sql.param([...executions])}::uuid[])) h
    ORDER BY name, asset`)
  for (const row of rows) found.set(row.execution, [...(found.get(row.execution) ?? []), row])
  return found
}

function resultOf({ name, code, error, ...of }: FoundResult, command: string): [string, HostResult] {
  if (code === null) return [name, { err: error }]
  const cmd = of.command ?? command
  return [name, { cmd, stdout: of.stdout, stderr: of.stderr, rc: code, delta: duration(of.milliseconds ?? 0) }]
}

/** As Ansible writes it: `0:00:01.204000`. */
function duration(milliseconds: number): string {
  const iso = new Date(milliseconds).toISOString()
  return `${Number(iso.slice(11, 13))}:${iso.slice(14, 23)}000`
}

/** What became of a run on each machine so far, by name; undefined when there is no such run. */
export async function outcomesOf(db: Database, execution: string): Promise<CommandOutcomes | undefined> {
  const { rows } = await db.execute<CommandOutcomes & Record<string, unknown>>(sql`
    WITH host AS (
      SELECT h.*, greatest(${ANSWER_CHARACTERS} / 2 / count(*) OVER (), 256)::int AS share
      FROM ops_command_execution_host h WHERE h.execution = ${execution}
    )
    SELECT e.is_finished, e.error,
      coalesce((SELECT jsonb_agg(jsonb_build_object('asset', asset, 'name', name, 'state', state, 'code', code,
        'milliseconds', milliseconds, 'error', error, 'ticket', ticket, 'output', output) ORDER BY name, asset) FROM host), '[]') AS hosts,
      coalesce((SELECT jsonb_object_agg(output, jsonb_build_object('stdout', left(stdout, share),
        'stderr', left(stderr, share), 'is_cut', is_cut OR length(stdout) > share OR length(stderr) > share))
        FROM (SELECT DISTINCT ON (output) * FROM host WHERE output <> '') one), '{}') AS outputs
    FROM ops_command_execution e WHERE e.id = ${execution}`)
  return rows[0]
}

/** How many machines of each run are in which state. */
export async function countsOf(db: Database, runs: readonly { id: string }[]): Promise<{ counts: HostCounts }[]> {
  const { rows } = await db.execute<{ execution: string; counts: Record<HostState, number> }>(sql`
    SELECT execution, jsonb_object_agg(state, amount) AS counts FROM (
      SELECT execution, state, count(*) AS amount FROM ops_command_execution_host
      WHERE execution = ANY(${sql.param(runs.map(({ id }) => id))}::uuid[]) GROUP BY execution, state) states
    GROUP BY execution`)
  const known = new Map(rows.map(({ execution, counts }) => [execution, counts]))
  return runs.map(({ id }) => ({ counts: known.get(id) ?? {} }))
}
