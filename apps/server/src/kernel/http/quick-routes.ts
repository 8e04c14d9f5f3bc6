import { createRequire } from 'node:module'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'

/**
 * Makes it cheap to register routes, of which there are more than a thousand: Fastify's own way took
 * most of the time that a server needs to open. Nothing of what a route does changes. To be called
 * before plugins that look at routes; Fastify must not expose HEAD itself (`exposeHeadRoutes`).
 */
export function registerQuickly(app: FastifyInstance): void {
  answerHead(app)
  finishTogether(app)
  shareCompiled()
}

/**
 * HEAD is served by the route of GET, unless that says `exposeHeadRoute: false`. Routes of its own
 * would be a fifth of all.
 */
function answerHead(app: FastifyInstance): void {
  app.addHook('onRoute', (route: RouteOptions) => {
    if (route.method !== 'GET' || route.exposeHeadRoute === false) return
    route.method = ['GET', 'HEAD']
    route.onSend = [...[route.onSend ?? []].flat(), leaveOutBody]
  })
}

type SendDone = (error: Error | null, payload?: unknown) => void

/** As Fastify's own routes for HEAD answer: the head that GET would have, and nothing below. */
function leaveOutBody(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: SendDone): void {
  if (request.method !== 'HEAD') {
    done(null, payload)
    return
  }
  if (isStream(payload)) {
    payload.on('error', (err) => reply.log.error({ err }, 'a stream failed that HEAD asked for'))
    payload.resume()
  } else {
    const body = typeof payload === 'string' || payload instanceof Uint8Array ? payload : ''
    reply.header('content-length', String(Buffer.byteLength(body)))
  }
  done(null, null)
}

const isStream = (payload: unknown): payload is Readable =>
  typeof (payload as Partial<Readable> | null | undefined)?.resume === 'function'

/**
 * What Fastify does about a route once its plugins are loaded is an entry in the queue of plugins for
 * each. Those of routes that are registered in one go share one.
 */
function finishTogether(app: FastifyInstance): void {
  const { route, after } = app as unknown as { route: AddRoute; after: After }
  let isRoute = false
  let waiting: Finish[] | undefined
  const replaced: { route: AddRoute; after: After } = {
    route(options) {
      isRoute = this === app
      try {
        return route.call(this, options)
      } finally {
        isRoute = false
      }
    },
    after(work) {
      if (!isRoute || !work) return after.call(this, work)
      if (waiting) waiting.push(work)
      else {
        const together = [work]
        waiting = together
        after.call(this, (error, done) => {
          waiting = undefined
          for (const one of together) one(error, () => {})
          done(error)
        })
      }
      return this
    },
  }
  Object.assign(app, replaced)
}

type AddRoute = (this: unknown, options: RouteOptions) => unknown
type Finish = (error: Error | null, done: (error: Error | null) => void) => void
type After = (this: unknown, work?: Finish) => unknown

/** The part of find-my-way, Fastify's router, that compiles code for each route. */
interface HandlerStorage {
  constraints: readonly string[]
  _compileCreateParamsObject(names: readonly string[]): unknown
  _compileGetHandlerMatchingConstraints(constrainer: unknown, constraints: object): void
}

/** On it once that is done: all servers of a process have the same router. */
const IS_SHARED = Symbol.for('sallyport.router.shared')

/**
 * The code by which the router puts the parameters of an address into an object is the same for
 * routes whose parameters have the same names. That which chooses between routes by constraints is
 * left out where a route has none, as all of ours: nothing asks it then.
 */
function shareCompiled(): void {
  const require = createRequire(createRequire(import.meta.url).resolve('fastify'))
  const { prototype } = require('find-my-way/lib/handler-storage') as {
    prototype: HandlerStorage & { [IS_SHARED]?: true }
  }
  if (prototype[IS_SHARED]) return
  const { _compileCreateParamsObject: compile, _compileGetHandlerMatchingConstraints: choose } = prototype
  const compiled = new Map<string, unknown>()
  prototype._compileCreateParamsObject = function (names) {
    const key = names.join('\n')
    const known = compiled.get(key) ?? compile.call(this, names)
    compiled.set(key, known)
    return known
  }
  prototype._compileGetHandlerMatchingConstraints = function (constrainer, constraints) {
    if (this.constraints.length) choose.call(this, constrainer, constraints)
  }
  prototype[IS_SHARED] = true
}
