import type { Target, TargetFamily } from '@sallyport/contract/target.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Opener } from '../../../kernel/secrets/vault.ts'

export interface FoundTarget extends Target {
  name: string
  orgId: string
  isActive: boolean
}

export interface SystemUserSecrets {
  username: string
  password: string
  private_key: string
}

/**
 * The input of a component that connects: members of the answer of `secret-info/detail/`, beside
 * the person and the system user.
 */
export interface TargetSecrets {
  systemUser: SystemUserSecrets
  parts: { asset?: object; application?: object; remote_app?: object; gateway?: object }
}

/** How tokens are made for the targets of one family. */
export interface TargetKind {
  family: TargetFamily
  find(db: Database, id: string): Promise<FoundTarget | undefined>
  /** The target as the answer for a token names it. */
  wire(target: FoundTarget): Record<string, string>
  /** Undefined when the target or the system user is gone. */
  secrets(
    kernel: Pick<Kernel, 'db'>,
    question: { userId: string; username: string; systemUserId: string; id: string },
    open: Opener,
  ): Promise<TargetSecrets | undefined>
}
