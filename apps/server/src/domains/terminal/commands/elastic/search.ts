import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { ClusterVersion } from './cluster.ts'

/** The wanted commands, as filters of the list (docs/rules/terminal.md#command). */
export interface CommandsWanted {
  /** One organization; all of them without. */
  org?: string | undefined
  ids?: readonly string[] | undefined
  session?: string | undefined
  /** Its beginning, in any case. */
  user?: string | undefined
  asset?: string | undefined
  system_user?: string | undefined
  /** Part of it. */
  input?: string | undefined
  risk_level?: number | undefined
  confirmed?: boolean | undefined
  /** Unix seconds, both included. */
  from?: number | undefined
  to?: number | undefined
}

type Clause = Record<string, unknown>

/** The query of Elasticsearch for it; nothing of it counts for relevance. */
export function queryOf(wanted: CommandsWanted, { ignoresCase }: Pick<ClusterVersion, 'ignoresCase'>): Clause {
  const filter: Clause[] = []
  const must_not: Clause[] = []
  const anyCase = ignoresCase ? { case_insensitive: true } : {}
  const equal = (field: string, value: unknown) => {
    if (value !== undefined) filter.push({ term: { [field]: value } })
  }
  if (wanted.org === DEFAULT_ORG_ID)
    filter.push(anyOf({ term: { org_id: wanted.org } }, { term: { org_id: '' } }, none('org_id')))
  else equal('org_id', wanted.org)
  if (wanted.ids) filter.push({ ids: { values: wanted.ids } })
  equal('session', wanted.session)
  equal('asset.keyword', wanted.asset)
  equal('system_user.keyword', wanted.system_user)
  equal('risk_level', wanted.risk_level)
  if (wanted.user !== undefined) filter.push({ prefix: { 'user.keyword': { value: wanted.user, ...anyCase } } })
  if (wanted.input !== undefined)
    filter.push(
      anyOf(
        { wildcard: { 'input.keyword': { value: `*${wanted.input.replace(/[\\*?]/g, '\\$&')}*`, ...anyCase } } },
        // The whole of a statement is looked through by words: it is longer than a keyword may be.
        { match_phrase: { 'statement.text': wanted.input } },
      ),
    )
  if (wanted.confirmed !== undefined) (wanted.confirmed ? filter : must_not).push({ exists: { field: 'ticket' } })
  if (wanted.from !== undefined || wanted.to !== undefined)
    filter.push({
      range: {
        timestamp: {
          ...(wanted.from === undefined ? {} : { gte: wanted.from }),
          ...(wanted.to === undefined ? {} : { lte: wanted.to }),
        },
      },
    })
  return { bool: { filter, ...(must_not.length ? { must_not } : {}) } }
}

const anyOf = (...should: Clause[]): Clause => ({ bool: { should, minimum_should_match: 1 } })
const none = (field: string): Clause => ({ bool: { must_not: [{ exists: { field } }] } })
