import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import type { assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import type { TargetFamily } from '@sallyport/contract/target.ts'
import type { SQL } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Mount, WriteContext, WrittenContext } from '../../kernel/resource/mount.ts'
import type { LinkField, Relation } from './relations.ts'
import type { permsPermission } from './tables.ts'

type AssetFields = (typeof assetPermission)['fields']
type SharedFields = Omit<
  AssetFields,
  'assets' | 'nodes' | `${LinkField}_display` | `${'assets' | 'nodes'}_amount` | `forwarding${'' | '_destinations'}`
>
type LinkFields = { readonly [K in LinkField]: { type: 'refs'; label: string } } & {
  readonly [K in `${LinkField}_display`]: { type: 'strings'; label: string }
}

/** Permissions of whichever family: what they have in common. */
export type PermissionDefinition = ResourceDefinition<SharedFields>
/** The same with every list that one of them has, as rules read it: one is there or not. */
type AnyPermission = ResourceDefinition<SharedFields & LinkFields>
export type WritingPermission = WriteContext<AnyPermission, typeof permsPermission>
export type WrittenPermission = WrittenContext<AnyPermission, typeof permsPermission>

/** The API of the permissions of one family of targets; `permission.ts` serves them all. */
export interface PermissionKind {
  family: TargetFamily
  definition: PermissionDefinition
  /** The name of a permission in its relation resources. */
  owner: string
  relations: readonly Relation[]
  filters: NonNullable<Mount['filters']>
  /** Rules before the permission itself is written, besides those of every family. */
  rules?: readonly ((context: WritingPermission) => void)[]
  metadata?: NonNullable<Mount['metadata']>
  /** The call that lists all targets of a permission, such as `assets/all/`. */
  covered: {
    path: string
    summary: string
    /** Names of id and text in the answer. */
    wire: readonly [string, string]
    /** Query of `id`, `text` and the columns to search. */
    rowsOf: (permissionId: string) => SQL
    searched: readonly string[]
    order: string
  }
  /** Parameter of `user/validate/` that has the target's id. */
  targetParameter: string
  /**
   * Called after targets, nodes, people or system users were added to a permission; makes accounts
   * and the like. Throws 400 where something does not belong into it.
   */
  afterAdding(db: Database, permissionId: string): Promise<void>
}
