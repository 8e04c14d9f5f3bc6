import { userGroup } from '@sallyport/contract/resources/users/user-group.ts'
import { userGroupRelation } from '@sallyport/contract/resources/users/user-group-relation.ts'
import { RelationCard } from '../../generic/detail/RelationCard.tsx'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { whyKept } from './from-outside/given.ts'

const PATH = userGroupRelation.path

/** The groups a person is in. */
export function UserGroupsCard({ user }: { user: string }) {
  return (
    <RelationCard
      title={t('User groups@@card')}
      related={{
        path: PATH,
        query: { user },
        words: (row) => String(row.usergroup_display),
        id: (row) => String(row.usergroup),
        kept: whyKept,
        address: (row) => addressOf('UserGroupDetail', { id: String(row.usergroup) }),
      }}
      choose={{ path: userGroup.path, display: userGroup.display }}
      add={(ids) =>
        api.post(
          PATH,
          ids.map((usergroup) => ({ user, usergroup })),
        )
      }
      remove={(row) =>
        api.delete(PATH, { query: { user, usergroup: String(row.usergroup) }, failed: t('Remove failed') })
      }
    />
  )
}

/** The people in a group. */
export function GroupMembersCard({ group }: { group: string }) {
  return (
    <RelationCard
      title={t('Members')}
      related={{
        path: PATH,
        query: { usergroup: group },
        words: (row) => String(row.user_display),
        id: (row) => String(row.user),
        kept: whyKept,
        address: (row) => addressOf('UserDetail', { id: String(row.user) }),
      }}
      choose={{
        path: '/api/v1/users/users/',
        display: '{name}({username})',
        query: { fields_size: 'mini', order: 'name' },
      }}
      add={(ids) =>
        api.post(
          PATH,
          ids.map((user) => ({ user, usergroup: group })),
        )
      }
      remove={(row) =>
        api.delete(PATH, { query: { usergroup: group, user: String(row.user) }, failed: t('Remove failed') })
      }
    />
  )
}
