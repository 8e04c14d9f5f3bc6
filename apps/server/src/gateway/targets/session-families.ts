import type { Target, TargetFamily } from '@sallyport/contract/target.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Opener } from '../../kernel/secrets/vault.ts'
import { assetFamily } from './asset-family.ts'
import type { ConnectionTarget } from './connection-target.ts'
import type { GrantedList, ListName } from './granted-list.ts'

/** Whose connection to what. */
export interface TargetQuestion {
  id: string
  systemUserId: string
  userId: string
  username: string
}

/** What the gateway has to know of a family of targets; everything else is the same for all. */
export interface SessionFamily {
  family: TargetFamily
  /**
   * Opens the secrets in memory. Whether the person may connect is not asked here. Undefined when
   * target or system user is gone.
   */
  load(kernel: Kernel, question: TargetQuestion, open: Opener): Promise<ConnectionTarget | undefined>
  /** What people were granted of it, in the menu's lists. */
  lists: Readonly<Partial<Record<ListName, GrantedList>>>
}

const families = new Map<TargetFamily, SessionFamily>([[assetFamily.family, assetFamily]])

/** Lets sessions lead to one more family. */
export function addSessionFamily(family: SessionFamily): void {
  families.set(family.family, family)
}

/** See `SessionFamily.load`; undefined also for a family of which this installation has none. */
export async function loadConnectionTarget(
  kernel: Kernel,
  { family, id }: Target,
  question: Omit<TargetQuestion, 'id'>,
  open: Opener,
): Promise<ConnectionTarget | undefined> {
  return families.get(family)?.load(kernel, { ...question, id }, open)
}

/** Undefined where no family has such a list. */
export function grantedList(name: ListName): GrantedList | undefined {
  return grantedLists(name)[0]
}

/** All lists, or those of that name. */
export function grantedLists(name?: ListName): GrantedList[] {
  return [...families.values()].flatMap(({ lists }) =>
    Object.entries(lists).flatMap(([one, list]) => (name === undefined || one === name ? [list] : [])),
  )
}
