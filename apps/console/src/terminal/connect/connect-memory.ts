/**
 * What this browser remembers of connect dialogs: per person and asset, never a password (contract
 * web-terminal, connect.saved).
 */

import { storedObject } from '../../lib/stored-object.ts'
import type { ConnectType } from './connect-types.ts'

export interface ConnectMemory {
  /** Connected with without asking, as long as it is granted. */
  automatic?: string
  /** In which way; in the page, unless said. */
  automaticType?: ConnectType
  /** Listed first in the dialog. */
  lastUsed?: string
  /** User name last typed for a manual sign-in. */
  manualUsername?: string
}

const key = (userId: string, targetId: string) => `luna_connect_${userId}_${targetId}`

/** The last choices for a target; empty when there are none, or when they cannot be read. */
export const connectMemory = (userId: string, targetId: string): ConnectMemory =>
  storedObject<ConnectMemory>(key(userId, targetId))

/** Replaces what is remembered about a target. */
export function rememberConnect(userId: string, targetId: string, memory: ConnectMemory): void {
  localStorage.setItem(key(userId, targetId), JSON.stringify(memory))
}

/** Forgets the automatic choice only: the next connect asks again. */
export function forgetAutomatic(userId: string, targetId: string): void {
  const { automatic: _, automaticType: __, ...rest } = connectMemory(userId, targetId)
  rememberConnect(userId, targetId, rest)
}
