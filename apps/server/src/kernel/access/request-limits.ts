import type { FastifyInstance, FastifyReply } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '../config.ts'
import { AppError } from '../errors/app-error.ts'
import { isComponent } from './call.ts'
import { sourceNetwork } from './source-network.ts'

const WINDOW_SECONDS = 60

/**
 * Limits each person to a share of this node. Requests in a minute are counted by person, or by
 * address as long as nobody is known behind them; so an office behind one address has as many
 * shares as people. Components are exempt. Beyond the limit the answer is 429 with `Retry-After`.
 * Must be installed before the access guard, as the requests of an address count before anybody is
 * looked up.
 */
export function limitRequests(
  app: FastifyInstance,
  { requestsOfPerson, requestsOfAddress }: Pick<Config, 'requestsOfPerson' | 'requestsOfAddress'>,
): void {
  const ofPerson = new RateLimiterMemory({ points: requestsOfPerson, duration: WINDOW_SECONDS })
  const ofAddress = new RateLimiterMemory({ points: requestsOfAddress, duration: WINDOW_SECONDS })
  // Before anybody is looked up: an address that has used up its share costs nothing more.
  app.addHook('onRequest', async ({ ip }, reply) => {
    const used = await ofAddress.get(sourceNetwork(ip))
    if (used && used.consumedPoints >= requestsOfAddress) throw tooMany(used, reply)
  })
  // The first hook after all checks of the access guard.
  app.addHook('preParsing', async (request, reply) => {
    const { call } = request
    if (!call?.user) await count(ofAddress, sourceNetwork(request.ip), reply)
    else if (!isComponent(call)) await count(ofPerson, call.user.id, reply)
  })
  // A wrong credential was refused by the access guard, before it could be counted.
  app.addHook('onResponse', async (request, { statusCode }) => {
    if (statusCode === 401 && !request.call?.user) await ofAddress.penalty(sourceNetwork(request.ip))
  })
}

/** Throws 429 beyond the limit. */
async function count(limiter: RateLimiterMemory, key: string, reply: FastifyReply): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (error) {
    throw error instanceof RateLimiterRes ? tooMany(error, reply) : error
  }
}

function tooMany({ msBeforeNext }: RateLimiterRes, reply: FastifyReply): AppError {
  reply.header('Retry-After', Math.ceil(msBeforeNext / 1000))
  return new AppError(429, 'too_many_requests', 'Too many requests: try again in a minute')
}
