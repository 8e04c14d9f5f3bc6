/** Which rules count for a person, by the groups that a source knows them in. */
import type { OrgRole, SystemRole } from '@sallyport/contract/access.ts'
import { type Dn, dnKey, keysUp, parseDn } from './dn.ts'

export interface Rule {
  id: string
  name: string
  org_id: string
  match: 'exact' | 'pattern' | 'subtree' | 'everybody'
  value: string
  mode: 'go_on' | 'stop' | 'else'
  org_role: OrgRole | 'none'
  system_role: Exclude<SystemRole, 'App'>
  /** Ids of groups in the organization. */
  groups: readonly string[]
}

/** What rules give to somebody. */
export interface Gift {
  memberships: { org: string; role: OrgRole }[]
  groups: { org: string; group: string }[]
  system_role: Exclude<SystemRole, 'App'>
}

/** The gift of the rules of a source to a person who is in these groups there. */
export type Giving = (groups: readonly string[]) => Gift

const RANK = ['User', 'Auditor', 'Admin'] as const

/**
 * Looks the rules of one source through once, for many people. `rules` are in their order; where one
 * ends the row or waits for none before it, that holds among those of its organization.
 */
export function givingBy(rules: readonly Rule[], isDirectory: boolean): Giving {
  const meant = matcherOf(rules, isDirectory)
  const chains = [...Map.groupBy(rules, ({ org_id }) => org_id).values()]
  return (groups) => {
    const matching = meant(groups)
    const counting = chains.flatMap((chain) => countingOf(chain, matching))
    return giftOf(counting)
  }
}

function countingOf(chain: readonly Rule[], matching: ReadonlySet<Rule>): Rule[] {
  const counting: Rule[] = []
  for (const rule of chain) {
    if (!matching.has(rule) || (rule.mode === 'else' && counting.length)) continue
    counting.push(rule)
    if (rule.mode === 'stop') break
  }
  return counting
}

function giftOf(rules: readonly Rule[]): Gift {
  const memberships = new Map<string, Gift['memberships'][number]>()
  const groups = new Map<string, Gift['groups'][number]>()
  let rank = 0
  for (const { org_id: org, org_role: role, groups: given, system_role } of rules) {
    if (role !== 'none') memberships.set(`${org} ${role}`, { org, role })
    for (const group of given) groups.set(group, { org, group })
    rank = Math.max(rank, RANK.indexOf(system_role))
  }
  return {
    memberships: [...memberships.values()],
    groups: [...groups.values()],
    system_role: RANK[rank] ?? 'User',
  }
}

/**
 * Finds the rules whose group is among those of a person. Exact names and subtrees are looked up, so
 * that only patterns cost a comparison for each group.
 */
function matcherOf(rules: readonly Rule[], isDirectory: boolean): (groups: readonly string[]) => Set<Rule> {
  const exact = new Map<string, Rule[]>()
  const below = new Map<string, Rule[]>()
  const patterns: { rule: Rule; fits: (group: string, dn: Dn | undefined) => boolean }[] = []
  const add = (index: Map<string, Rule[]>, key: string | undefined, rule: Rule) => {
    if (key !== undefined) index.set(key, [...(index.get(key) ?? []), rule])
  }
  for (const rule of rules) {
    const dn = isDirectory || rule.match === 'subtree' ? parseDn(rule.value) : undefined
    const key = dn ? dnKey(dn) : isDirectory ? undefined : rule.value
    if (rule.match === 'exact') add(exact, key, rule)
    else if (rule.match === 'subtree') add(below, dn && dnKey(dn), rule)
    else if (rule.match === 'pattern')
      patterns.push({
        rule,
        fits: isDirectory
          ? (_group, name) => name !== undefined && dn !== undefined && fitsDn(dn, name)
          : (group) => fitsText(rule.value, group),
      })
  }
  const everybody = rules.filter(({ match }) => match === 'everybody')
  return (groups) => {
    const found = new Set(everybody)
    for (const group of groups) {
      const dn = isDirectory || below.size ? parseDn(group) : undefined
      const key = isDirectory ? dn && dnKey(dn) : group
      for (const rule of (key !== undefined && exact.get(key)) || []) found.add(rule)
      if (dn && below.size) for (const up of keysUp(dn)) for (const rule of below.get(up) ?? []) found.add(rule)
      for (const { rule, fits } of patterns) if (!found.has(rule) && fits(group, dn)) found.add(rule)
    }
    return found
  }
}

/** Part by part: a star never reaches into the next part, so it means no group of another branch. */
function fitsDn(pattern: Dn, name: Dn): boolean {
  return (
    pattern.length === name.length &&
    pattern.every((parts, at) => {
      const others = name[at] ?? []
      return (
        parts.length === others.length &&
        parts.every(([type, value], n) => type === others[n]?.[0] && fitsText(value, others[n]?.[1] ?? ''))
      )
    })
  )
}

/** Whether a text is as a pattern, in which `*` is any text. Time grows with the lengths alone. */
export function fitsText(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  if (!rest.length) return pattern === text
  const last = rest.pop() ?? ''
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  for (const piece of rest) {
    const found = text.indexOf(piece, at)
    if (found < 0 || found + piece.length > text.length - last.length) return false
    at = found + piece.length
  }
  return true
}
