import type { OrgRole } from '@sallyport/contract/access.ts'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { MultiSelect } from '../../../design/boxes/MultiSelect.tsx'
import type { Option } from '../../../design/boxes/options.ts'
import { CheckboxGroup } from '../../../design/inputs/CheckboxGroup.tsx'
import { api } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { keys } from '../../../lib/query.ts'
import styles from './invite-form.module.css'

const SUGGESTION_PATH = '/api/v1/users/users/suggestion/'
const TYPING_MS = 300

interface Person {
  id: string
  name: string
  username: string
}

/** Address and role of an invitation. */
export interface Invitation {
  users: readonly string[]
  roles: readonly OrgRole[]
}

export interface InviteFormProps {
  onChange: (invitation: Invitation) => void
}

/**
 * People of the whole installation, a few at a time as they are looked for, and the roles they get
 * here.
 */
export function InviteForm({ onChange }: InviteFormProps) {
  const [typed, setTyped] = useState('')
  const [search, setSearch] = useState('')
  const [chosen, setChosen] = useState<Option[]>([])
  const [roles, setRoles] = useState<OrgRole[]>(['User'])
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const found = useQuery({
    queryKey: keys.list(SUGGESTION_PATH, { search }),
    queryFn: ({ signal }) => api.get<Person[]>(SUGGESTION_PATH, { query: { search }, signal, quiet: true }),
  })
  const change = (users: typeof chosen, next: OrgRole[]) => {
    setChosen(users)
    setRoles(next)
    onChange({ users: users.map(({ value }) => value), roles: next })
  }
  const offered: Option[] = (found.data ?? []).map(({ id, name, username }) => ({
    value: id,
    label: `${name}(${username})`,
  }))
  const field = useId()
  return (
    <div className={styles.inviteForm}>
      <label htmlFor={field}>{t('Users@@field')}</label>
      <MultiSelect
        id={field}
        placeholder={t('Search by name or username')}
        source={{
          onSearch: setTyped,
          isLoading: found.isFetching,
          error: found.error,
          onRetry: () => void found.refetch(),
        }}
        none={t('Nobody is left to invite')}
        options={offered}
        optionOf={(one) => chosen.find(({ value }) => value === one)}
        value={chosen.map(({ value }) => value)}
        onChange={(next) => {
          const known = [...chosen, ...offered]
          change(
            next.flatMap((one) => known.find(({ value }) => value === one) ?? []),
            roles,
          )
        }}
      />
      <fieldset>
        <legend>{t('Organization role')}</legend>
        <CheckboxGroup<OrgRole>
          options={[
            { value: 'User', label: t('Organization user') },
            { value: 'Auditor', label: t('Organization auditor') },
            { value: 'Admin', label: t('Organization administrator') },
          ]}
          value={roles}
          onChange={(next) => change(chosen, next)}
        />
      </fieldset>
    </div>
  )
}
