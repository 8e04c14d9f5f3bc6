import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import type { TargetFamily } from '@sallyport/contract/target.ts'
import type { SQL } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Mount } from '../../kernel/resource/mount.ts'
import type { Relation } from './relations.ts'

/**
 * The permissions of one family of targets as they stand on the wire; `permission.ts` serves every
 * kind.
 */
export interface PermissionKind {
  family: TargetFamily
  definition: ResourceDefinition
  /** What a permission is called in its relation resources. */
  owner: string
  relations: readonly Relation[]
  filters: NonNullable<Mount['filters']>
  /** The call that lists all targets of a permission, such as `assets/all/`. */
  covered: {
    path: string
    summary: string
    /** Names of the id and of the text in what is answered. */
    wire: readonly [string, string]
    /** Answers `id`, `text` and the columns that are searched. */
    rowsOf: (permissionId: string) => SQL
    searched: readonly string[]
    order: string
  }
  /** Parameter of `user/validate/` that names the target. */
  targetParameter: string
  /**
   * What follows when targets, nodes, people or system users were put into a permission: accounts
   * and the like.
   */
  afterAdding(db: Database, permissionId: string): Promise<void>
}
