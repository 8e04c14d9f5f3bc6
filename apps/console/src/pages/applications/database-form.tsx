import { type Application, application } from '@sallyport/contract/resources/applications/application.ts'
import { user } from '@sallyport/contract/resources/users/user.ts'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Status } from '../../design/Status.tsx'
import { useEditedForm, useFormValues } from '../../generic/form/edited-form.ts'
import type { FormContext, FormGroup, FormValues, WidgetProps } from '../../generic/view/form-view.ts'
import { api, type Row } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { session } from '../../session/session.ts'
import { giveAccess, isNameless, storeAccount, tryAccount } from './database-account.ts'

const text = (value: unknown): string => String(value ?? '').trim()
const isNew = (_values: FormValues, { mode }: FormContext) => mode === 'create'
const hasAccount = (values: FormValues) =>
  text(values.username) !== '' || (isNameless(values.type) && text(values.password) !== '')
const withAccount = (values: FormValues, context: FormContext) => isNew(values, context) && hasAccount(values)

/** The account of a new database, and the people who get it, beside what the database itself is. */
export const ACCOUNT: FormGroup = {
  title: msg('Account'),
  lead: msg('As whom people sign in to it, with a password that they never see, and who may.'),
  fields: [
    {
      name: 'username',
      label: msg('Username'),
      help: msg('An account of the database itself. Without one, it can be added later.'),
      local: { type: 'string', max_length: 128 },
      visibleWhen: isNew,
    },
    {
      name: 'password',
      label: msg('Password'),
      local: { type: 'string', max_length: 256, write_only: true },
      visibleWhen: isNew,
      required: hasAccount,
    },
    {
      name: 'try_login',
      label: msg('Test'),
      help: msg('The database and its account are saved for it; nobody has access yet.'),
      local: { type: 'string' },
      widget: TryAccount,
      visibleWhen: withAccount,
    },
    {
      name: 'users',
      label: msg('Who gets access'),
      local: { type: 'field' },
      widget: 'references',
      from: { path: user.path, display: user.display, query: { fields_size: 'mini', order: 'name' } },
      initial: () => [session().profile.id],
      visibleWhen: withAccount,
    },
  ],
}

/** Rows that a form has stored so far: each is made once, and changed from then on. */
interface Made {
  row?: Application
  account?: string
}
const made = new WeakMap<FormContext, Made>()

/** Stores the database, and the account where one is typed. */
async function storeBoth(values: FormValues, context: FormContext) {
  const { username, password, users, try_login: _, ...body } = values
  const stored = made.get(context) ?? {}
  made.set(context, stored)
  const { row } = stored
  stored.row = row
    ? await api.put<Application>(`${application.path}${row.id}/`, body, { quiet: true })
    : await api.post<Application>(application.path, body, { quiet: true })
  if (hasAccount(values)) {
    const account = { username: text(username), password: String(password ?? '') }
    stored.account = await storeAccount(stored.row, account, stored.account)
  }
  return { row: stored.row, account: stored.account, username: text(username), users: (users ?? []) as string[] }
}

/** Everything that the form of a new database holds; what is refused is mended and sent again. */
export async function storeDatabase(values: FormValues, context: FormContext): Promise<Row> {
  const { row, account, username, users } = await storeBoth(values, context)
  if (account && users.length > 0) await giveAccess(row, username, account, users)
  made.delete(context)
  return row
}

function TryAccount({ id, context, 'aria-describedby': describedBy }: WidgetProps) {
  const { attempt } = useEditedForm()
  const { attrs, domain, username, password } = useFormValues()
  const [busy, setBusy] = useState(false)
  const [tested, setTested] = useState<string>()
  const typed = JSON.stringify([attrs, domain, username, password])
  const test = async () => {
    setBusy(true)
    await attempt(async (body) => {
      const { row, account } = await storeBoth(body as FormValues, context)
      if (!account) return
      await tryAccount(row, account)
      setTested(typed)
    })
    setBusy(false)
  }
  return (
    <>
      <Button
        id={id}
        aria-label={t('Save and test')}
        aria-describedby={describedBy}
        loading={busy}
        onClick={() => void test()}
      >
        {t('Save and test')}
      </Button>{' '}
      <span role="status">
        {tested === typed && <Status tone="good">{t('The database lets the account in')}</Status>}
      </span>
    </>
  )
}
