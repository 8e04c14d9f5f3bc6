/** Joining sessions of others, by links and as monitors. */
export { alsoWatchedBy, canJoin } from './join.ts'
export { finishJoin, joinSharing } from './join-record.resource.ts'
export { createSharing, mayStay } from './sharing.resource.ts'
