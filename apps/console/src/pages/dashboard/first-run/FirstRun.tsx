import { PERMISSION } from '@sallyport/contract/access.ts'
import { useState } from 'react'
import { lazily } from '../../../design/lazily.tsx'
import { api } from '../../../lib/api.ts'
import { inRootOrg, session, setSession } from '../../../session/session.ts'
import type { FirstRunGuideProps } from './FirstRunGuide.tsx'

const FirstRunGuide = lazily<FirstRunGuideProps>(() => import('./FirstRunGuide.tsx').then((m) => m.FirstRunGuide))

/** Where this browser keeps that nobody here needs a guide, to ask no more. */
const placeOf = () => `first_run_${session().profile.username}_${session().org?.id}`

const dismissedIn = () => session().profile.guide_dismissed_in ?? []

/**
 * The way to the first session, at the top of an administrator's start page: machine, account,
 * person, access, connection. It stays until all of that exists or the person has sent it away,
 * which the server remembers.
 */
export function FirstRun() {
  const { org, bits } = session()
  const [isGone, setGone] = useState(
    () => localStorage.getItem(placeOf()) === 'gone' || dismissedIn().includes(org?.id ?? ''),
  )
  const isForMe = (bits & PERMISSION.admin) !== 0 && !inRootOrg()
  if (isGone || !isForMe || !org) return null
  const dismiss = async () => {
    await api.post('/api/v1/users/profile/dismiss-guide/')
    const { profile } = session()
    setSession({ ...session(), profile: { ...profile, guide_dismissed_in: [...dismissedIn(), org.id] } })
    setGone(true)
  }
  return (
    <FirstRunGuide
      onLeave={() => void dismiss().catch(() => {})}
      onNotNeeded={() => {
        localStorage.setItem(placeOf(), 'gone')
        setGone(true)
      }}
    />
  )
}
