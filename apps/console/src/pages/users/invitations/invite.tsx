import { showError, showSuccess } from '../../../design/dialogs/feedback.tsx'
import type { HeaderAction } from '../../../generic/view/actions.ts'
import { api } from '../../../lib/api.ts'
import { msg, t } from '../../../lib/i18n.ts'
import { inRootOrg, licenseValid, mayAccess } from '../../../session/session.ts'
import { askWith } from '../../dialogs.tsx'
import { type Invitation, InviteForm } from './InviteForm.tsx'

/**
 * "Invite user": people of other organizations are invited to the current one; one row for each
 * person and role (docs/rules/users.md#user_form). System administrators make them members at once,
 * others wait for them to accept.
 */
export const inviteAction: HeaderAction = {
  name: 'invite',
  title: msg('Invite user'),
  has: () => licenseValid() && !inRootOrg(),
  run: async ({ refresh }) => {
    let invitation: Invitation = { users: [], roles: ['User'] }
    if (!(await askWith(t('Invite user'), <InviteForm onChange={(next) => (invitation = next)} />, t('Invite')))) return
    const rows = invitation.users.flatMap((user) => invitation.roles.map((role) => ({ user, role })))
    if (rows.length === 0) {
      showError(t('Nobody was invited: choose at least one person and one role'))
      return
    }
    await api.post('/api/v1/users/users/invite/', rows)
    showSuccess(
      mayAccess(['super_admin']) ? t('Members added') : t('Invited: they belong to the organization once they accept'),
    )
    await refresh()
  },
}

/** Leads to those who have been invited and have not accepted yet. */
export const invitationsAction: HeaderAction = {
  name: 'invitations',
  title: msg('Invitations'),
  has: () => licenseValid() && !inRootOrg(),
  run: ({ go }) => go('/users/invitations'),
}
