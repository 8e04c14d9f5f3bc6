/** Taking people out of an organization: what they lose with it is shown before it is done. */
import type { User } from '@sallyport/contract/resources/users/user.ts'
import { user } from '@sallyport/contract/resources/users/user.ts'
import { confirmDanger, showSuccess } from '../../design/dialogs/feedback.tsx'
import { ChangePreview } from '../../generic/change-preview/ChangePreview.tsx'
import { selectionReference } from '../../generic/rows/selection-reference.ts'
import type { BulkAction, RowAction } from '../../generic/view/actions.ts'
import { api, type Query, withQuery } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { inRootOrg, licenseValid } from '../../session/session.ts'

/** The server's list of what people would lose in an organization. */
export interface Losses {
  people: number
  ends: readonly { label: string; amount: number }[]
}

/** The losses as sentences. */
export function LossList({ losses }: { losses: Losses }) {
  if (losses.ends.length === 0) return <p>{t('Nothing else ends with it: no group and no permission names them.')}</p>
  return (
    <>
      <p>{t('These are removed too, and a new invitation does not restore them:')}</p>
      <ul>
        {losses.ends.map(({ label, amount }) => (
          <li key={label}>
            {label}: {amount}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Shows what ends, asks, and removes. `path` answers the losses to GET and removes on POST. */
async function removeFromOrg(
  path: string,
  query: Query,
  { question, failed }: { question: (people: number) => string; failed: string },
  done: () => unknown,
): Promise<void> {
  const losses = await api.get<Losses>(path, { query })
  confirmDanger({
    title: question(losses.people),
    content: (
      <>
        <LossList losses={losses} />
        <ChangePreview call={{ method: 'POST', address: withQuery(path, query), body: {} }} />
      </>
    ),
    okText: t('Remove'),
    onOk: async () => {
      try {
        await api.post(path, {}, { query, failed })
      } catch {
        // The client has said why.
        return
      }
      showSuccess(t('Removed from the organization'))
      await done()
    },
  })
}

const mayRemove = () => licenseValid() && !inRootOrg()

export const removeAction: RowAction<User> = {
  name: 'remove',
  title: msg('Remove from organization'),
  order: 40,
  danger: true,
  has: mayRemove,
  can: (row) => row.can_delete || t('You have no permission to remove this user'),
  run: (row, { refresh }) =>
    removeFromOrg(
      `${user.path}${row.id}/remove/`,
      {},
      {
        question: () => t('Remove "{{name}}" from the organization?', { name: `${row.name}(${row.username})` }),
        failed: t('Remove failed'),
      },
      refresh,
    ),
}

export const removeSelected: BulkAction<User> = {
  name: 'remove',
  title: msg('Remove'),
  danger: true,
  asks: true,
  takesAway: true,
  has: mayRemove,
  can: (rows) => rows.every((row) => row.can_delete) || t("You can't remove some of the selected users"),
  run: async (ids, _rows, { refresh }) =>
    removeFromOrg(
      `${user.path}remove/`,
      { spm: await selectionReference(ids) },
      {
        question: (count) => t('Remove {{count}} people from the organization?', { count }),
        failed: t('Bulk remove failed'),
      },
      refresh,
    ),
}
