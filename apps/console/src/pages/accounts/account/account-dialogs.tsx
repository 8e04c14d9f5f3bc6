import type { ReactNode } from 'react'
import { openDialog, showSuccess } from '../../../design/dialogs/feedback.tsx'
import { proveMfa } from '../../../generic/second-factor/MfaVerifyDialog.tsx'
import type { RowAction } from '../../../generic/view/actions.ts'
import { api } from '../../../lib/api.ts'
import { msg, t } from '../../../lib/i18n.ts'
import { inRootOrg, licenseValid } from '../../../session/session.ts'
import { inClient } from '../../dialogs.tsx'
import { AccountForm } from './AccountForm.tsx'
import { AccountHistory } from './AccountHistory.tsx'
import { SecretView } from './SecretView.tsx'
import { SourceForm } from './SourceForm.tsx'

const WIDTH = 'min(560px, 94vw)'

/** Facts about an account that its dialogs need. */
export interface ShownAccount {
  id: string
  username: string | null
  secret_source: string | null
  secret_path: string
  secret_field: string
}

/** Accounts of one kind: where they are, and how one is called. */
export interface AccountKind<R extends ShownAccount> {
  path: string
  secrets: string
  /** Address of the accounts in runs of plans. */
  changes: string
  /** Label and name of the machine or application. */
  of: (row: R) => readonly [string, string]
}

async function showSecret<R extends ShownAccount>(kind: AccountKind<R>, row: R, path: string): Promise<void> {
  if (!(await proveMfa())) return
  openDialog({
    title: t('Secret of the account'),
    width: WIDTH,
    content: () => inClient(<SecretView path={path} facts={[kind.of(row), [t('Username'), row.username ?? '']]} />),
  })
}

/** Reads the secret, behind the second factor (docs/rules/accounts.md#view_secret). */
export const viewSecret = <R extends ShownAccount>(kind: AccountKind<R>): RowAction<R & Record<string, unknown>> => ({
  name: 'view',
  title: msg('View secret'),
  order: 1,
  run: (row) => showSecret(kind, row, `${kind.secrets}${row.id}/`),
})

/** Its former secrets, what changed them, and who had them. */
export const viewHistory = <R extends ShownAccount>(kind: AccountKind<R>): RowAction<R & Record<string, unknown>> => ({
  name: 'history',
  title: msg('History'),
  order: 15,
  run: (row) =>
    openDialog({
      title: t('History of the account'),
      width: 'min(720px, 94vw)',
      content: (close) =>
        inClient(
          <AccountHistory
            path={`${kind.path}${row.id}/`}
            changes={licenseValid() ? `${kind.changes}?account_id=${row.id}` : undefined}
            onShow={({ id }) => {
              close()
              void showSecret(kind, row, `${kind.secrets}${row.id}/versions/${id}/`)
            }}
          />,
        ),
    }),
})

interface Edit<R extends ShownAccount> {
  name: string
  title: string
  order: number
  /** That of the dialog. */
  heading: string
  form: (row: R, parts: { path: string; onCancel: () => void; save: (body: unknown) => Promise<void> }) => ReactNode
}

/** Changes an account in a dialog, whose form says what is wrong with its fields. */
const editing = <R extends ShownAccount>(
  kind: AccountKind<R>,
  { heading, form, ...action }: Edit<R>,
): RowAction<R & Record<string, unknown>> => ({
  ...action,
  can: () => (inRootOrg() ? t('The root organization is read-only') : true),
  run: (row, { refresh }) =>
    openDialog({
      title: t(heading),
      width: WIDTH,
      content: (close) =>
        inClient(
          form(row, {
            path: kind.path,
            onCancel: close,
            async save(body) {
              await api.patch(`${kind.path}${row.id}/`, body, { quiet: true })
              close()
              showSuccess(t('Saved'))
              await refresh()
            },
          }),
        ),
    }),
})

/** Says where outside the secret is, or takes that back. */
export const chooseSource = <R extends ShownAccount>(kind: AccountKind<R>): RowAction<R & Record<string, unknown>> =>
  editing(kind, {
    name: 'secret-source',
    title: msg('Secret source'),
    order: 11,
    heading: msg('Secret source of the account'),
    form: (row, parts) => <SourceForm account={row} {...parts} />,
  })

/** Changes password or key, in a dialog. */
export const updateSecret = <R extends ShownAccount>(kind: AccountKind<R>): RowAction<R & Record<string, unknown>> =>
  editing(kind, {
    name: 'update-secret',
    title: msg('Update'),
    order: 10,
    heading: msg('Update the account'),
    form: (_row, parts) => <AccountForm {...parts} />,
  })
