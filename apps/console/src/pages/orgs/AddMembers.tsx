import type { OrgRole } from '@sallyport/contract/access.ts'
import type { Organization } from '@sallyport/contract/resources/orgs/organization.ts'
import { organizationMember } from '@sallyport/contract/resources/orgs/organization-member.ts'
import { user } from '@sallyport/contract/resources/users/user.ts'
import { useId, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { RadioGroup } from '../../design/inputs/RadioGroup.tsx'
import { RemoteSelect } from '../../generic/widgets/remote-select/RemoteSelect.tsx'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import styles from './add-members.module.css'

export interface AddMembersProps {
  org: Organization
  onAdded: () => Promise<unknown>
}

/**
 * Everybody of the installation, a role, and Add: one membership for each person
 * (docs/rules/orgs.md#organization_member).
 */
export function AddMembers({ org, onAdded }: AddMembersProps) {
  const [chosen, setChosen] = useState<string[]>([])
  const [role, setRole] = useState<OrgRole>('User')
  const [busy, setBusy] = useState(false)
  const holders: Readonly<Record<OrgRole, readonly string[]>> = {
    Admin: org.admins,
    Auditor: org.auditors,
    User: org.users,
  }
  const field = useId()
  const add = async () => {
    setBusy(true)
    try {
      await api.post(
        organizationMember.path,
        chosen.map((one) => ({ org: org.id, user: one, role })),
      )
      setChosen([])
      showSuccess(t('Members added'))
      await onAdded()
    } catch {
      // The client has shown why.
    } finally {
      setBusy(false)
    }
  }
  return (
    <section className="panel">
      <h2>{t('Add organization members')}</h2>
      <div className={`inside ${styles.addMembers}`}>
        <label htmlFor={field}>{t('Users@@field')}</label>
        <RemoteSelect
          id={field}
          path={user.path}
          display="{name}({username})"
          query={{ all: 1, fields_size: 'mini', order: 'name' }}
          multiple
          value={chosen}
          onChange={(value) => setChosen(Array.isArray(value) ? value : [])}
          disabledValues={holders[role]}
        />
        <RadioGroup<OrgRole>
          aria-label={t('Organization role')}
          value={role}
          onChange={(next) => {
            setRole(next)
            setChosen(chosen.filter((one) => !holders[next].includes(one)))
          }}
          options={[
            { value: 'Admin', label: t('Organization administrator') },
            { value: 'Auditor', label: t('Organization auditor') },
            { value: 'User', label: t('Organization user') },
          ]}
        />
        <Button type="primary" disabled={chosen.length === 0} loading={busy} onClick={() => void add()}>
          {t('Add')}
        </Button>
      </div>
    </section>
  )
}
