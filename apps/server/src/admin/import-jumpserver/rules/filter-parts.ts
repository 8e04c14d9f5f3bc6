import {
  arriveFilterRules,
  arriveFilters,
  bindFilters,
  endFilterParts,
  FILTER_PARTS,
  type FilterPart,
} from '../../../domains/command-filters/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { bring, countPairs, ended, type ImportContext } from '../context.ts'

/** Filters, their rules and what they are bound to, before they are stored. */
export class FilterParts {
  readonly filters: ArrivingRow[] = []
  readonly rules: ArrivingRow[] = []
  readonly #pairs = new Map<FilterPart, (readonly [string, string])[]>(FILTER_PARTS.map((part) => [part, []]))

  bind(part: FilterPart, filter: string, ids: readonly string[]): void {
    this.#pairs.get(part)?.push(...ids.map((id) => [filter, id] as const))
  }

  /** `tables`: those that bindings are read from. */
  async store(context: ImportContext, tables: readonly string[]): Promise<void> {
    const { report, run } = context
    const inSlices = async <T>(rows: readonly T[], store: (some: readonly T[]) => Promise<unknown>) => {
      for (let at = 0; at < rows.length; at += AT_ONCE) await store(rows.slice(at, at + AT_ONCE))
    }
    const filters = report.kind('Command filters')
    await inSlices(this.filters, (some) => bring(context, filters, arriveFilters, some))
    const rules = report.kind('Command filter rules')
    await inSlices(this.rules, (some) => bring(context, rules, arriveFilterRules, some))
    const notes = report.kind('Bindings of command filters')
    for (const [part, pairs] of this.#pairs) {
      notes.read += pairs.length
      await inSlices(pairs, async (some) => countPairs(notes, await bindFilters(run, part, some)))
      notes.many(
        await ended(context, tables, () => endFilterParts(run, part)),
        'Ended there since the last run: removed here',
        false,
      )
    }
  }
}

const AT_ONCE = 1000
