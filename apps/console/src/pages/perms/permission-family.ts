/** What pages need to know of the permissions of a family of targets; they share everything else. */
import { applicationPermission } from '@sallyport/contract/resources/perms/application-permission.ts'
import { applicationPermissionApplicationRelation } from '@sallyport/contract/resources/perms/application-permission-application-relation.ts'
import { applicationPermissionSystemUserRelation } from '@sallyport/contract/resources/perms/application-permission-system-user-relation.ts'
import { applicationPermissionUserGroupRelation } from '@sallyport/contract/resources/perms/application-permission-user-group-relation.ts'
import { applicationPermissionUserRelation } from '@sallyport/contract/resources/perms/application-permission-user-relation.ts'
import { assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { assetPermissionAssetRelation } from '@sallyport/contract/resources/perms/asset-permission-asset-relation.ts'
import { assetPermissionSystemUserRelation } from '@sallyport/contract/resources/perms/asset-permission-system-user-relation.ts'
import { assetPermissionUserGroupRelation } from '@sallyport/contract/resources/perms/asset-permission-user-group-relation.ts'
import { assetPermissionUserRelation } from '@sallyport/contract/resources/perms/asset-permission-user-relation.ts'

export interface PermissionFamily {
  /** Address of the permissions. */
  path: string
  /** The permission in its relations. */
  owner: string
  /** Address of each relation, by the field of what it names. */
  relations: { user: string; usergroup: string; systemuser: string; target: string }
}

export const ASSET_PERMISSIONS: PermissionFamily = {
  path: assetPermission.path,
  owner: 'assetpermission',
  relations: {
    user: assetPermissionUserRelation.path,
    usergroup: assetPermissionUserGroupRelation.path,
    systemuser: assetPermissionSystemUserRelation.path,
    target: assetPermissionAssetRelation.path,
  },
}

export const APPLICATION_PERMISSIONS: PermissionFamily = {
  path: applicationPermission.path,
  owner: 'applicationpermission',
  relations: {
    user: applicationPermissionUserRelation.path,
    usergroup: applicationPermissionUserGroupRelation.path,
    systemuser: applicationPermissionSystemUserRelation.path,
    target: applicationPermissionApplicationRelation.path,
  },
}
