import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { NativeSelect } from '../../../design/boxes/NativeSelect.tsx'
import { api } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { keys } from '../../../lib/query.ts'

const SYSTEM_USERS = '/api/v1/perms/system-users-permission/'

/** A system user that was granted to the person, as the server lists it. */
export interface GrantedSystemUser {
  id: string
  name: string
  username: string
  protocol: string
  login_mode: string
}

/** Only these sign in by themselves, without anybody who types. */
const isUsable = ({ protocol, login_mode }: GrantedSystemUser): boolean => protocol === 'ssh' && login_mode === 'auto'

/** The system users that were granted to the person, and the one that is taken until another is chosen. */
export function useGrantedSystemUsers() {
  const users = useQuery({
    queryKey: keys.list(SYSTEM_USERS, {}),
    queryFn: ({ signal }) => api.get<GrantedSystemUser[]>(SYSTEM_USERS, { signal, quiet: true }),
  })
  return { users, first: users.data?.find(isUsable)?.id ?? '' }
}

interface SystemUserSelectProps {
  systemUsers: readonly GrantedSystemUser[]
  value: string
  onChange: (id: string) => void
}

/** As whom commands run; those that cannot sign in by themselves are greyed out. */
export function SystemUserSelect({ systemUsers, value, onChange }: SystemUserSelectProps) {
  const id = useId()
  return (
    <label htmlFor={id}>
      {t('System user')}
      <NativeSelect id={id} value={value} onChange={onChange}>
        {!value && <option value="">{t('No system user can be used')}</option>}
        {systemUsers.map((user) => (
          <option key={user.id} value={user.id} disabled={!isUsable(user)}>
            {user.name === user.username ? user.name : `${user.name} (${user.username})`}
          </option>
        ))}
      </NativeSelect>
    </label>
  )
}
