/** The objects of a Kubernetes cluster in a page (`type=k8s&view=workbench`). */
import * as z from 'zod/mini'
import { asking, reply } from './asking.ts'
import { isClusterName, isPathName } from './cluster-names.ts'
import { json, type MessageOf } from './message.ts'
import { BROWSING } from './workbench.ts'

/** A cluster's word for the next page, which means something to it alone. */
const NEXT_CHARACTERS = 8 * 1024
const SELECTOR_CHARACTERS = 4 * 1024

/** Kinds of objects that a page shows, by their names in the API. */
export const CLUSTER_KINDS = [
  'pods',
  'deployments',
  'statefulsets',
  'daemonsets',
  'replicasets',
  'jobs',
  'cronjobs',
  'services',
  'ingresses',
  'configmaps',
  'secrets',
  'events',
  'nodes',
] as const
export type ClusterKind = (typeof CLUSTER_KINDS)[number]

const number = z.int().check(z.minimum(0))
const kind = z.enum(CLUSTER_KINDS)
/** Empty: all of them. */
const namespace = z.union([z.literal(''), z.string().check(z.refine(isClusterName))])
const selector = z.string().check(z.maxLength(SELECTOR_CHARACTERS))
const ofOne = { kind, namespace, name: z.string().check(z.refine(isPathName)) }

const question = z.discriminatedUnion('about', [
  z.object({ about: z.literal('namespaces') }),
  /** From where the page before has ended; the first is ''. */
  z.object({
    about: z.literal('list'),
    kind,
    namespace,
    selector,
    next: z.string().check(z.maxLength(NEXT_CHARACTERS)),
  }),
  z.object({ about: z.literal('object'), ...ofOne }),
  z.object({ about: z.literal('events'), ...ofOne }),
])
export type ClusterQuestion = z.output<typeof question>

/** A list, from the cluster's word for a moment of it on. */
const followed = z.object({ kind, namespace, selector, since: z.string().check(z.regex(/^\d{1,32}$/)) })
export type FollowedList = z.output<typeof followed>

const row = { name: z.string(), namespace: z.string() }
const event = z.object({
  type: z.string(),
  reason: z.string(),
  message: z.string(),
  /** How often. */
  count: z.number(),
  /** When last, in ISO 8601. */
  at: z.string(),
  /** The person who reports it. */
  from: z.string(),
})

export const CLUSTER_ANSWERS = {
  namespaces: z.object({ names: z.array(z.string()), isCut: z.boolean() }),
  list: z.object({
    /** `isWide`: shown where there is room. */
    columns: z.array(z.object({ name: z.string(), isWide: z.boolean() })),
    rows: z.array(z.object({ ...row, cells: z.array(z.string()) })),
    /** Empty behind the last. */
    next: z.string(),
    /** How many follow, where the cluster says so. */
    remaining: z.optional(z.number()),
    /** The cluster's word for the moment of it; absent or empty where it has none. */
    since: z.optional(z.string()),
  }),
  /** As the API has it, without values of secrets. */
  object: z.object({ object: z.looseObject({}), yaml: z.string() }),
  events: z.object({ events: z.array(event), isCut: z.boolean() }),
} as const

/** New state of an object; without cells it is gone. */
const change = z.object({ ...row, cells: z.optional(z.array(z.string())) })
export type ObjectChange = z.output<typeof change>

const start = z.object({
  dialect: z.literal('kubernetes'),
  /** The account may list nodes. */
  mayNodes: z.boolean(),
  locked: z.optional(z.boolean()),
})

export const CLUSTER = {
  fromClient: {
    ...BROWSING.fromClient,
    WORKBENCH_ASK: asking(question),
    /** Follows a list in place of the one before; without a list, none. `number` is said again with its changes. */
    WORKBENCH_FOLLOW: json(z.object({ number, list: z.optional(followed) })),
  },
  fromGateway: {
    ...BROWSING.fromGateway,
    WORKBENCH_START: json(start),
    WORKBENCH_REPLY: reply,
    /** `over`: goes on from `since`; `expired`: to be read again; `refused`: can not be followed. */
    WORKBENCH_CHANGES: json(
      z.object({
        number,
        changes: z.optional(z.array(change)),
        ended: z.optional(z.enum(['over', 'expired', 'refused'])),
        since: z.optional(z.string()),
      }),
    ),
  },
} as const

export type ClusterFromClient = MessageOf<typeof CLUSTER.fromClient>
export type ClusterFromGateway = MessageOf<typeof CLUSTER.fromGateway>
