import { narrowed, type Question, type Resource, withVersion } from './answer.ts'
import { changeGroup, createGroup, deleteGroup, listGroups, readGroup } from './groups.ts'
import { changePerson, createPerson, deletePerson, listPeople, readPerson, type Side } from './people.ts'

/** Changes of one resource that are tried again when another call changed it meanwhile. */
const TRIES = 5

/** The calls of one type of resource. */
export interface Operations {
  list(side: Side, question: Question): Promise<{ total: number; resources: Resource[] }>
  read(side: Side, id: string, question?: Question): Promise<Resource>
  create(side: Side, body: unknown): Promise<Resource>
  change(side: Side, id: string, mode: 'put' | 'patch', body: unknown, ifMatch: string | undefined): Promise<Resource>
  remove(side: Side, id: string, ifMatch: string | undefined): Promise<void>
}

/** By the last part of their address (RFC 7644 §3.2). */
export const OPERATIONS: Readonly<Record<'Users' | 'Groups', Operations>> = {
  Users: {
    list: listPeople,
    read: readPerson,
    create: createPerson,
    change: again(changePerson),
    remove: deletePerson,
  },
  Groups: {
    list: listGroups,
    read: readGroup,
    create: createGroup,
    change: again(changeGroup),
    remove: deleteGroup,
  },
}

/** Providers send many changes of one group at once, each with a person: none is lost, none refused. */
function again<T extends unknown[]>(change: (...parameters: T) => Promise<Resource>) {
  return async (...parameters: T): Promise<Resource> => {
    for (let tries = 1; ; tries++)
      try {
        return await change(...parameters)
      } catch (error) {
        if (tries === TRIES || (error as { status?: number }).status !== 409 || isTaken(error)) throw error
      }
  }
}

/** The other 409: a name that is taken stays so. */
const isTaken = (error: unknown) => Boolean((error as { body?: { scimType?: string } }).body?.scimType)

export const answered = (resource: Resource, question: Question): Resource => narrowed(withVersion(resource), question)
