import { createHash } from 'node:crypto'
import { WIRE } from '@sallyport/contract/constants.ts'
import type { FastifyRequest } from 'fastify'
import { agentFamily } from '../access/agent-token.ts'
import type { Node } from './nodes.ts'

/**
 * The running nodes that carry sessions, in order of preference for everything with that key, so
 * that it comes together on one node. Every node computes the same order without asking (rendezvous
 * hashing), and a node that comes or goes moves only its own keys.
 */
export function homeNodes(key: string, running: readonly Node[]): Node[] {
  const weight = (node: Node) => createHash('sha256').update(`${node.id} ${key}`).digest('hex')
  return running
    .filter(({ roles, port }) => roles.includes('gateway') && port !== null)
    .map((node) => ({ node, weight: weight(node) }))
    .sort((a, b) => (a.weight < b.weight ? -1 : 1))
    .map(({ node }) => node)
}

/** Identifies a sign-in, unverified: by what stays the same in signed requests and in tokens that are renewed. */
export function credentialOf({ headers, cookies }: FastifyRequest): string | undefined {
  const { authorization } = headers
  if (!authorization) return cookies[WIRE.sessionCookie]
  const [, signingKey] = /keyId="([^"]*)"/.exec(authorization) ?? /^Sign ([^:]*):/.exec(authorization) ?? []
  const [, bearer = ''] = /^bearer\s+(\S+)/i.exec(authorization) ?? []
  return signingKey ?? agentFamily(bearer) ?? authorization
}
