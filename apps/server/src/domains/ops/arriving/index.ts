import { RUNBOOK_VERSIONS } from '@sallyport/contract/resources/ops/runbook.ts'
import { getTableName, sql } from 'drizzle-orm'
import type { ArrivalRun, ArrivingRow, Outcomes } from '../../../kernel/arrivals/arrival.ts'
import { arrive } from '../../../kernel/arrivals/arrive.ts'
import { opsRunbook, opsRunbookVersion } from '../tables.ts'

/** Stores runbooks, and keeps their newest versions. */
export async function arriveRunbooks(run: ArrivalRun, rows: readonly ArrivingRow[]): Promise<Outcomes> {
  const outcomes = await arrive(run, { kind: 'runbook', table: opsRunbook }, rows)
  const written = rows
    .filter(({ key }) => ['added', 'updated'].includes(outcomes.get(key) ?? ''))
    .flatMap(({ key }) => outcomes.ids.get(key) ?? [])
  await run.db.execute(sql`
    WITH written AS (
      UPDATE ops_runbook SET version = version + 1 WHERE id = ANY (${sql.param(written)}::uuid[])
      RETURNING id, version, steps, variables, created_by)
    INSERT INTO ops_runbook_version (runbook, version, steps, variables, created_by)
    SELECT id, version, steps, variables, created_by FROM written`)
  await run.db.execute(sql`
    DELETE FROM ops_runbook_version v USING ops_runbook r
    WHERE r.id = v.runbook AND r.id = ANY (${sql.param(written)}::uuid[]) AND v.version <= r.version - ${RUNBOOK_VERSIONS}`)
  return outcomes
}

/** Rows of that table go with their runbooks, and keep none here. */
export const VERSIONS_OF_RUNBOOKS = getTableName(opsRunbookVersion)
