import { type Org, session, setSession } from '../../session/session.ts'

/**
 * The organization selector has the organization under this name from now on; the session is
 * otherwise fixed until the page is loaded again.
 */
export function nameInSelector({ id, name }: Pick<Org, 'id' | 'name'>): void {
  const { orgs, org, ...rest } = session()
  const known = orgs.some((one) => one.id === id)
  setSession({
    ...rest,
    org: org?.id === id ? { ...org, name } : org,
    orgs: known ? orgs.map((one) => (one.id === id ? { ...one, name } : one)) : [...orgs, { id, name }],
  })
}

/** A deleted organization can't be chosen any more. */
export function dropFromSelector(id: string): void {
  setSession({ ...session(), orgs: session().orgs.filter((one) => one.id !== id) })
}
