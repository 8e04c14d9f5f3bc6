import type { Target, TargetFamily } from '@sallyport/contract/target.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Opener } from '../../kernel/secrets/vault.ts'
import { applicationFamily } from './application-family.ts'
import { assetFamily } from './asset-family.ts'
import type { ConnectionTarget } from './connection-target.ts'
import type { GrantedList, ListName } from './granted-list.ts'

/** Person and target of a connection. */
export interface TargetQuestion {
  id: string
  systemUserId: string
  /** A login that they typed for the target is used up; undefined: it stays. */
  userId: string | undefined
  username: string
}

/** Facts about a family of targets; everything else is the same for all. */
export interface SessionFamily {
  family: TargetFamily
  /**
   * Loads a target and opens its secrets in memory. Does not check whether the person may connect.
   * Undefined when target or system user is gone.
   */
  load(kernel: Kernel, question: TargetQuestion, open: Opener): Promise<ConnectionTarget | undefined>
  /** Granted targets of the family in the menu's lists. */
  lists: Readonly<Partial<Record<ListName, GrantedList>>>
}

const FAMILIES: Readonly<Record<TargetFamily, SessionFamily>> = { asset: assetFamily, application: applicationFamily }

/** See `SessionFamily.load`. */
export async function loadConnectionTarget(
  kernel: Kernel,
  { family, id }: Target,
  question: Omit<TargetQuestion, 'id'>,
  open: Opener,
): Promise<ConnectionTarget | undefined> {
  return FAMILIES[family].load(kernel, { ...question, id }, open)
}

/** Undefined if no family has such a list to offer. */
export function grantedList(name: ListName): GrantedList | undefined {
  return grantedLists(name)[0]
}

/** All lists that are offered, or those of that name; see `GrantedQuestion.kind`. */
export function grantedLists(name?: ListName, kind?: string): GrantedList[] {
  return Object.values(FAMILIES).flatMap(({ lists }) =>
    Object.entries(lists).flatMap(([one, list]) =>
      (name === undefined || one === name) && list.isOffered?.(kind) !== false ? [list] : [],
    ),
  )
}
