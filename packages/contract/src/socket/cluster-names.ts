/** Names of namespaces, pods and containers (RFC 1123, as Kubernetes has them): nothing of a path can hide in them. */
export const CLUSTER_NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/

/** Names of other objects: those of roles have colons in them, as `system:node`. */
export const isPathName = (text: string): boolean => /^[A-Za-z0-9][-A-Za-z0-9.:_]{0,252}$/.test(text)

export const isClusterName = (text: string): boolean => CLUSTER_NAME.test(text) && !text.includes('..')
