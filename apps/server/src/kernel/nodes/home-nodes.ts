import { createHash } from 'node:crypto'
import { WIRE } from '@sallyport/contract/constants.ts'
import type { FastifyRequest } from 'fastify'
import type { Node } from './nodes.ts'

/**
 * The nodes that run and carry sessions, in the order in which everything with one key goes to them
 * that must come together: each node finds the same, without asking (rendezvous hashing), and when
 * one comes or goes only its own move.
 */
export function homeNodes(key: string, running: readonly Node[]): Node[] {
  const weight = (node: Node) => createHash('sha256').update(`${node.id} ${key}`).digest('hex')
  return running
    .filter(({ roles, port }) => roles.includes('gateway') && port !== null)
    .map((node) => ({ node, weight: weight(node) }))
    .sort((a, b) => (a.weight < b.weight ? -1 : 1))
    .map(({ node }) => node)
}

/** What tells this sign-in from others, unproven: of signed requests, which all differ, the key's id. */
export function credentialOf({ headers, cookies }: FastifyRequest): string | undefined {
  const { authorization } = headers
  if (!authorization) return cookies[WIRE.sessionCookie]
  const [, signingKey] = /keyId="([^"]*)"/.exec(authorization) ?? /^Sign ([^:]*):/.exec(authorization) ?? []
  return signingKey ?? authorization
}
