import { application } from '@sallyport/contract/resources/applications/application.ts'
import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { node } from '@sallyport/contract/resources/assets/node.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import type { ApplicationPermission } from '@sallyport/contract/resources/perms/application-permission.ts'
import { assetPermissionNodeRelation } from '@sallyport/contract/resources/perms/asset-permission-node-relation.ts'
import { userGroup } from '@sallyport/contract/resources/users/user-group.ts'
import { msg } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { applicationAddress } from '../application-address.ts'
import { systemUserWords } from '../assets/system-user-words.ts'
import { fittingSystemUsers, SESSION_PROTOCOLS } from './fitting-system-users.ts'
import { permissionTab } from './PermissionTab.tsx'
import { APPLICATION_PERMISSIONS, ASSET_PERMISSIONS, type PermissionFamily } from './permission-family.ts'

/** People and groups of a permission. */
export const usersTab = (family: PermissionFamily) =>
  permissionTab({
    family,
    covered: {
      title: msg('All users of the permission'),
      name: 'user',
      path: family.relations.user,
      address: (id) => addressOf('UserDetail', { id }),
      empty: msg('Nobody yet: add users or user groups.'),
    },
    add: {
      title: msg('Add users'),
      choose: () => ({
        path: '/api/v1/users/users/',
        display: '{name}({username})',
        query: { fields_size: 'mini', order: 'name' },
      }),
    },
    related: [
      {
        title: msg('User groups@@card'),
        path: family.relations.usergroup,
        field: 'usergroup',
        choose: () => ({ path: userGroup.path, display: userGroup.display }),
      },
    ],
  })

/** The machines of a permission, and as whom they are entered. */
export const AssetsTab = permissionTab({
  family: ASSET_PERMISSIONS,
  covered: {
    title: msg('All assets of the permission'),
    name: 'asset',
    path: ASSET_PERMISSIONS.relations.target,
    address: (id) => addressOf('AssetDetail', { id }),
    empty: msg('Nothing yet: add assets or nodes.'),
  },
  add: { title: msg('Add assets'), choose: () => ({ path: asset.path, display: asset.display }) },
  related: [
    {
      title: msg('Nodes'),
      path: assetPermissionNodeRelation.path,
      field: 'node',
      choose: () => ({ path: node.path, display: '{full_value}' }),
    },
    {
      title: msg('System users@@field'),
      path: ASSET_PERMISSIONS.relations.systemuser,
      field: 'systemuser',
      choose: () => ({ path: systemUser.path, display: systemUserWords, query: SESSION_PROTOCOLS }),
      keepsLast: true,
    },
  ],
})

/** The same of a permission on applications. */
export const ApplicationsTab = permissionTab<ApplicationPermission>({
  family: APPLICATION_PERMISSIONS,
  covered: {
    title: msg('All applications of the permission'),
    name: 'application',
    path: APPLICATION_PERMISSIONS.relations.target,
    address: (id, { category }) => applicationAddress(category, id),
    empty: msg('Nothing yet: add applications.'),
  },
  add: {
    title: msg('Add applications'),
    choose: ({ type }) => ({ path: application.path, display: '{name}', query: { type } }),
  },
  related: [
    {
      title: msg('System users@@field'),
      path: APPLICATION_PERMISSIONS.relations.systemuser,
      field: 'systemuser',
      choose: ({ type }) => ({ path: systemUser.path, display: systemUserWords, query: fittingSystemUsers(type) }),
      keepsLast: true,
    },
  ],
})
