import { useState } from 'react'
import { Notice } from '../../../design/Notice.tsx'
import { LazyForm } from '../../../generic/form/lazy-form.ts'
import { formGroups } from '../../../generic/view/form-groups.ts'
import type { FormContext } from '../../../generic/view/form-view.ts'
import { msg, t } from '../../../lib/i18n.ts'
import type { DirectoryPlace } from './directory-place.ts'

const CONTEXT: FormContext = { mode: 'create', row: undefined, query: new URLSearchParams() }
const GROUPS = formGroups(
  {
    groups: [
      {
        title: '',
        fields: [
          { name: 'username', label: msg('Username'), required: true, local: { type: 'string', max_length: 128 } },
          { name: 'password', label: msg('Password'), required: true, local: { type: 'string', max_length: 1024 } },
        ],
      },
    ],
  },
  {},
)

/** Whether somebody could sign in by a directory as it is saved. */
export function LdapLogin({ place }: { place: DirectoryPlace }) {
  const [result, setResult] = useState<{ good: boolean; text: string }>()
  const test = async (values: unknown) => {
    setResult(undefined)
    setResult(await place.testLogin(values as { username: string; password: string }))
  }
  return (
    <>
      {result && <Notice role="status" tone={result.good ? 'good' : 'danger'} title={result.text} />}
      <LazyForm groups={GROUPS} initial={{}} context={CONTEXT} view={{}} save={test} submitText={t('Test login')} />
    </>
  )
}
