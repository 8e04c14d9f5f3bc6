import type { Target } from '@sallyport/contract/target.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** The lists of the terminal menu (docs/rules/gateway.md#menu_lists). */
export type ListName = 'host' | 'database' | 'kubernetes'

/** A granted target as a row of a list. */
export interface GrantedTarget {
  target: Target
  name: string
  isActive: boolean
  /** One for each column of its list. */
  cells: readonly string[]
  comment: string
}

export interface GrantedQuestion {
  userId: string
  /** Only in the subtree of this node, for families that are in nodes. */
  nodeId?: string | undefined
  /** Each must be found in one of the target's texts. */
  words?: readonly string[]
  /** Only targets with this address, name (in any case) or id. */
  named?: string
  /** Only targets that sessions of this kind can lead to; terminals, unless said otherwise. */
  kind?: string
  limit: number
  offset?: number
}

/** The granted targets of one sort. */
export interface GrantedList {
  /** English titles of the columns between number and comment. */
  columns: readonly string[]
  /** Whether any of them can be connected to, by sessions of that kind; a list that is not offered is no choice in menus. */
  isOffered?(kind?: string): boolean
  /** A page, inactive targets included, and their number in all. */
  find(kernel: Kernel, question: GrantedQuestion): Promise<{ total: number; targets: GrantedTarget[] }>
}
