/** Client to server, request without parameters, every few seconds: answered with null as soon as the server's loop turns. */
export const HEARTBEAT_REQUEST = 'inkling/heartbeat';
