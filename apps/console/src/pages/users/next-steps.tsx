import { assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { type User, user } from '@sallyport/contract/resources/users/user.ts'
import { userGroup } from '@sallyport/contract/resources/users/user-group.ts'
import { userGroupRelation } from '@sallyport/contract/resources/users/user-group-relation.ts'
import { useId, useState } from 'react'
import type { NextStep } from '../../generic/view/detail-view.ts'
import { RemoteSelect } from '../../generic/widgets/remote-select/RemoteSelect.tsx'
import { api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { listOf } from '../../navigation/routes.ts'
import { inRootOrg, session } from '../../session/session.ts'
import { askWith } from '../dialogs.tsx'
import { confirmAndCall } from './confirm-and-call.ts'
import { mayChangePerson } from './shared-person.ts'

function GroupChoice({ onChange }: { onChange: (groups: string[]) => void }) {
  const id = useId()
  const [chosen, setChosen] = useState<string[]>([])
  return (
    <>
      <label htmlFor={id}>{t('User groups@@field')}</label>
      <RemoteSelect
        id={id}
        path={userGroup.path}
        display={userGroup.display}
        multiple
        value={chosen}
        onChange={(next) => {
          const groups = Array.isArray(next) ? next : []
          setChosen(groups)
          onChange(groups)
        }}
      />
    </>
  )
}

async function addToGroups(person: User): Promise<void> {
  let groups: string[] = []
  const field = <GroupChoice onChange={(next) => (groups = next)} />
  if (!(await askWith(t('Add {{name}} to groups', { name: person.name }), field, t('Add'))) || !groups.length) return
  await api.post(
    userGroupRelation.path,
    groups.map((usergroup) => ({ user: person.id, usergroup })),
  )
  await forget(userGroupRelation.path)
}

/** The usual next steps for a new person, until they can sign in and connect. */
export const nextSteps: readonly NextStep<User>[] = [
  {
    title: msg('Add them to a group'),
    lead: msg('Whatever a group may use, everybody in it may.'),
    button: msg('Choose groups'),
    has: () => !inRootOrg(),
    run: addToGroups,
    done: ({ id }) => ({ path: userGroupRelation.path, query: { user: id } }),
  },
  {
    title: msg('Say what they may use'),
    lead: msg('A permission of their own; those of their groups hold already.'),
    button: msg('Write a permission'),
    address: ({ id }) => listOf('AssetPermissionCreate', { user: id }),
    done: ({ id }) => ({ path: assetPermission.path, query: { user_id: id } }),
  },
  {
    title: msg('Send the invitation'),
    lead: msg('A mail with a link by which they choose a password of their own and sign in.'),
    button: msg('Send it'),
    has: (row) => row.source === 'local' && session().settings.CAN_SEND_MAIL === true && mayChangePerson(row) === true,
    run: (row) =>
      confirmAndCall(
        {
          title: t('Send {{name}} a link to set a new password?', { name: row.name }),
          content: t('The old one stops working at once.'),
          okText: t('Send@@mail'),
        },
        () => api.patch(`${user.path}${row.id}/password/reset/`),
        t('The link is on its way'),
      ),
    done: ({ last_login }) => Boolean(last_login),
  },
]
