import { type UserGroup, userGroup } from '@sallyport/contract/resources/users/user-group.ts'
import { countLink } from '../../generic/cells/count-link.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import { msg, t } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { ApplicationsGrantedToGroup } from '../perms/GrantedApplications.tsx'
import { GrantedToGroup } from '../perms/GrantedAssets.tsx'
import { permissionsWith } from '../related.ts'
import { GroupMembers } from './from-outside/GroupMembers.tsx'
import { givenMembersHelp } from './from-outside/given.ts'
import { isManaged, managedHelp } from './from-outside/managed.ts'
import { GroupMembersCard } from './UserGroupsCard.tsx'

export const routes = resourcePlaces('UserGroup', {
  menu: 'users',
  order: 30,
  path: '/users/groups',
  titles: {
    List: msg('User groups'),
    Create: msg('Create user group'),
    Update: msg('Update user group'),
    Detail: msg('User group detail'),
  },
})

export const userGroupPages = definePages<UserGroup>(userGroup, {
  list: {
    columns: [
      'name',
      {
        field: 'users_amount',
        title: msg('Users@@field'),
        align: 'right',
        // Lists of people know no filter by group: its own page names them.
        cell: countLink(({ id }) => addressOf('UserGroupDetail', { id })),
      },
      'date_created',
      'created_by',
      'managed_by',
      'org_name',
      'comment',
    ],
    defaultColumns: ['name', 'users_amount', 'comment'],
  },
  form: {
    groups: [
      {
        title: msg('Basic'),
        fields: [
          {
            name: 'name',
            disabledWhen: (_values, context) => isManaged(context),
            depends: (_values, context) => managedHelp(context),
          },
          {
            name: 'users',
            widget: GroupMembers,
            disabledWhen: (_values, context) => isManaged(context),
            depends: (_values, context) => givenMembersHelp(context),
            from: {
              path: '/api/v1/users/users/',
              display: '{name}({username})',
              query: { fields_size: 'mini', order: 'name' },
            },
          },
          'comment',
        ],
      },
    ],
  },
  detail: {
    lead: (row) => [t('{{count|member|members}}', { count: row.users_amount ?? 0 })],
    fields: ['name', 'managed_by', 'comment'],
    side: ({ row }) => <GroupMembersCard group={row.id} />,
    related: ({ id }) => [permissionsWith({ user_group_id: id })],
    tabs: [
      { name: 'GroupGrantedAssets', title: msg('Granted assets'), component: GrantedToGroup },
      {
        name: 'GroupGrantedApplications',
        title: msg('Granted applications'),
        component: ApplicationsGrantedToGroup,
      },
    ],
  },
})

export const pages = { UserGroup: userGroupPages }
