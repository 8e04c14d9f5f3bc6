import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { ConnectAnswer } from '../../perms/index.ts'
import { assetTarget } from './asset-target.ts'

export type TargetType = 'asset' | 'application'

export interface FoundTarget {
  id: string
  name: string
  orgId: string
  isActive: boolean
}

export interface SystemUserSecrets {
  username: string
  password: string
  private_key: string
}

/** What a component connects with beside the person and the system user: members of the answer of `secret-info/detail/`. */
export interface TargetSecrets {
  systemUser: SystemUserSecrets
  parts: { asset?: object; application?: object; remote_app?: object; gateway?: object }
}

/** One kind of thing that tokens are made for. */
export interface TargetKind {
  find(db: Database, id: string): Promise<FoundTarget | undefined>
  /** May the person use this system user on it now? */
  mayConnect(db: Database, question: { userId: string; systemUserId: string; id: string }): Promise<ConnectAnswer>
  /** How a resolved token names it. */
  wire(target: FoundTarget): Record<string, string>
  /** Undefined when target or system user is gone. */
  secrets(
    kernel: Kernel,
    question: { userId: string; username: string; systemUserId: string; id: string },
  ): Promise<TargetSecrets | undefined>
}

/** What can be connected to by token. Applications join here. */
export const TARGET_KINDS: Readonly<Partial<Record<TargetType, TargetKind>>> = { asset: assetTarget }
