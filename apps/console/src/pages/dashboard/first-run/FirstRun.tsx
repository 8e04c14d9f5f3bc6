import { PERMISSION } from '@sallyport/contract/access.ts'
import { useState } from 'react'
import { lazily } from '../../../design/lazily.tsx'
import { inRootOrg, session } from '../../../session/session.ts'

const FirstRunBody = lazily<{ onLeave: () => void }>(() => import('./FirstRunBody.tsx').then((m) => m.FirstRunBody))

const placeOf = () => `first_run_${session().profile.username}_${session().org?.id}`

/**
 * The way to the first session, at the top of an administrator's start page: machine, account,
 * person, access, connection. It stays until all of that exists or the person has sent it away.
 */
export function FirstRun() {
  const [isGone, setGone] = useState(() => localStorage.getItem(placeOf()) === 'gone')
  const isForMe = (session().bits & PERMISSION.admin) !== 0 && !inRootOrg()
  if (isGone || !isForMe) return null
  return (
    <FirstRunBody
      onLeave={() => {
        localStorage.setItem(placeOf(), 'gone')
        setGone(true)
      }}
    />
  )
}
