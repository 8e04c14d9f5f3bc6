import type { Target } from '@sallyport/contract/target.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** The lists of the terminal menu (contract/gateway.yaml menu.lists). */
export type ListName = 'host' | 'database' | 'kubernetes'

/** A target that somebody was granted, as a row of a list. */
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
  /** Only in the subtree of this node, in families that lie in nodes. */
  nodeId?: string | undefined
  /** Each must be found in the target's words. */
  words?: readonly string[]
  /** Only those of which this is the address, the name (in any case) or the id. */
  named?: string
  limit: number
  offset?: number
}

/** What a person was granted of one sort of targets. */
export interface GrantedList {
  /** English titles of the columns between the number and the comment. */
  columns: readonly string[]
  /** A page, inactive ones too, and how many there are in all. */
  find(kernel: Kernel, question: GrantedQuestion): Promise<{ total: number; targets: GrantedTarget[] }>
}
