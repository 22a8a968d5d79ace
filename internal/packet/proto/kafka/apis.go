package kafka

import "strings"

// never is the version from which an API is flexible that is not.
const never = 1 << 14

// api is what must be known of a kind of request.
type api struct {
	name     string
	newest   int16 // version that was known when this was written
	flexible int16 // version from which lengths are varints, and tagged fields follow
}

// apis are the kinds of requests by their key (https://kafka.apache.org/protocol#protocol_api_keys).
var apis = [...]api{
	{"Produce", 13, 9},
	{"Fetch", 18, 12},
	{"ListOffsets", 11, 6},
	{"Metadata", 13, 9},
	{"LeaderAndIsr", 7, 4},
	{"StopReplica", 4, 2},
	{"UpdateMetadata", 8, 6},
	{"ControlledShutdown", 3, 3},
	{"OffsetCommit", 10, 8},
	{"OffsetFetch", 10, 6},
	{"FindCoordinator", 6, 3},
	{"JoinGroup", 9, 6},
	{"Heartbeat", 4, 4},
	{"LeaveGroup", 5, 4},
	{"SyncGroup", 5, 4},
	{"DescribeGroups", 6, 5},
	{"ListGroups", 5, 3},
	{"SaslHandshake", 1, never},
	{"ApiVersions", 5, 3},
	{"CreateTopics", 7, 5},
	{"DeleteTopics", 6, 4},
	{"DeleteRecords", 2, 2},
	{"InitProducerId", 5, 2},
	{"OffsetForLeaderEpoch", 4, 4},
	{"AddPartitionsToTxn", 5, 3},
	{"AddOffsetsToTxn", 4, 3},
	{"EndTxn", 5, 3},
	{"WriteTxnMarkers", 2, 1},
	{"TxnOffsetCommit", 6, 3},
	{"DescribeAcls", 3, 2},
	{"CreateAcls", 3, 2},
	{"DeleteAcls", 3, 2},
	{"DescribeConfigs", 4, 4},
	{"AlterConfigs", 2, 2},
	{"AlterReplicaLogDirs", 2, 2},
	{"DescribeLogDirs", 5, 2},
	{"SaslAuthenticate", 2, 2},
	{"CreatePartitions", 3, 2},
	{"CreateDelegationToken", 3, 2},
	{"RenewDelegationToken", 2, 2},
	{"ExpireDelegationToken", 2, 2},
	{"DescribeDelegationToken", 3, 2},
	{"DeleteGroups", 3, 2},
	{"ElectLeaders", 2, 2},
	{"IncrementalAlterConfigs", 1, 1},
	{"AlterPartitionReassignments", 1, 0},
	{"ListPartitionReassignments", 0, 0},
	{"OffsetDelete", 0, never},
	{"DescribeClientQuotas", 1, 1},
	{"AlterClientQuotas", 1, 1},
	{"DescribeUserScramCredentials", 0, 0},
	{"AlterUserScramCredentials", 0, 0},
	{"Vote", 2, 0},
	{"BeginQuorumEpoch", 1, 1},
	{"EndQuorumEpoch", 1, 1},
	{"DescribeQuorum", 2, 0},
	{"AlterPartition", 3, 0},
	{"UpdateFeatures", 2, 0},
	{"Envelope", 0, 0},
	{"FetchSnapshot", 1, 0},
	{"DescribeCluster", 2, 0},
	{"DescribeProducers", 0, 0},
	{"BrokerRegistration", 4, 0},
	{"BrokerHeartbeat", 2, 0},
	{"UnregisterBroker", 0, 0},
	{"DescribeTransactions", 0, 0},
	{"ListTransactions", 2, 0},
	{"AllocateProducerIds", 0, 0},
	{"ConsumerGroupHeartbeat", 1, 0},
	{"ConsumerGroupDescribe", 1, 0},
	{"ControllerRegistration", 0, 0},
	{"GetTelemetrySubscriptions", 0, 0},
	{"PushTelemetry", 0, 0},
	{"AssignReplicasToDirs", 0, 0},
	{"ListConfigResources", 1, 0},
	{"DescribeTopicPartitions", 0, 0},
	{"ShareGroupHeartbeat", 1, 0},
	{"ShareGroupDescribe", 1, 0},
	{"ShareFetch", 2, 0},
	{"ShareAcknowledge", 2, 0},
	{"AddRaftVoter", 1, 0},
	{"RemoveRaftVoter", 0, 0},
	{"UpdateRaftVoter", 0, 0},
	{"InitializeShareGroupState", 0, 0},
	{"ReadShareGroupState", 0, 0},
	{"WriteShareGroupState", 1, 0},
	{"DeleteShareGroupState", 0, 0},
	{"ReadShareGroupStateSummary", 1, 0},
	{"StreamsGroupHeartbeat", 1, 0},
	{"StreamsGroupDescribe", 1, 0},
	{"DescribeShareGroupOffsets", 1, 0},
	{"AlterShareGroupOffsets", 0, 0},
	{"DeleteShareGroupOffsets", 0, 0},
	{"StreamsGroupTopologyDescriptionUpdate", 0, 0},
	{"UnregisterController", 0, 0},
}

// later is how many versions newer than the known ones are believed.
const later = 8

// Keys of those whose requests or answers are looked into.
const (
	produce                = 0
	fetch                  = 1
	listOffsets            = 2
	metadata               = 3
	offsetCommit           = 8
	findCoordinator        = 10
	joinGroup              = 11
	heartbeat              = 12
	leaveGroup             = 13
	syncGroup              = 14
	saslHandshake          = 17
	apiVersions            = 18
	createTopics           = 19
	deleteTopics           = 20
	initProducerID         = 22
	endTxn                 = 26
	saslAuthenticate       = 36
	consumerGroupHeartbeat = 68
	shareFetch             = 78
)

// errorNames are the names of error codes from 1 on.
var errorNames = strings.Fields(`OFFSET_OUT_OF_RANGE CORRUPT_MESSAGE UNKNOWN_TOPIC_OR_PARTITION INVALID_FETCH_SIZE LEADER_NOT_AVAILABLE NOT_LEADER_OR_FOLLOWER REQUEST_TIMED_OUT
	BROKER_NOT_AVAILABLE REPLICA_NOT_AVAILABLE MESSAGE_TOO_LARGE STALE_CONTROLLER_EPOCH OFFSET_METADATA_TOO_LARGE NETWORK_EXCEPTION
	COORDINATOR_LOAD_IN_PROGRESS COORDINATOR_NOT_AVAILABLE NOT_COORDINATOR INVALID_TOPIC_EXCEPTION RECORD_LIST_TOO_LARGE NOT_ENOUGH_REPLICAS
	NOT_ENOUGH_REPLICAS_AFTER_APPEND INVALID_REQUIRED_ACKS ILLEGAL_GENERATION INCONSISTENT_GROUP_PROTOCOL INVALID_GROUP_ID UNKNOWN_MEMBER_ID
	INVALID_SESSION_TIMEOUT REBALANCE_IN_PROGRESS INVALID_COMMIT_OFFSET_SIZE TOPIC_AUTHORIZATION_FAILED GROUP_AUTHORIZATION_FAILED
	CLUSTER_AUTHORIZATION_FAILED INVALID_TIMESTAMP UNSUPPORTED_SASL_MECHANISM ILLEGAL_SASL_STATE UNSUPPORTED_VERSION TOPIC_ALREADY_EXISTS
	INVALID_PARTITIONS INVALID_REPLICATION_FACTOR INVALID_REPLICA_ASSIGNMENT INVALID_CONFIG NOT_CONTROLLER INVALID_REQUEST UNSUPPORTED_FOR_MESSAGE_FORMAT
	POLICY_VIOLATION OUT_OF_ORDER_SEQUENCE_NUMBER DUPLICATE_SEQUENCE_NUMBER INVALID_PRODUCER_EPOCH INVALID_TXN_STATE INVALID_PRODUCER_ID_MAPPING
	INVALID_TRANSACTION_TIMEOUT CONCURRENT_TRANSACTIONS TRANSACTION_COORDINATOR_FENCED TRANSACTIONAL_ID_AUTHORIZATION_FAILED SECURITY_DISABLED
	OPERATION_NOT_ATTEMPTED KAFKA_STORAGE_ERROR LOG_DIR_NOT_FOUND SASL_AUTHENTICATION_FAILED UNKNOWN_PRODUCER_ID REASSIGNMENT_IN_PROGRESS
	DELEGATION_TOKEN_AUTH_DISABLED DELEGATION_TOKEN_NOT_FOUND DELEGATION_TOKEN_OWNER_MISMATCH DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
	DELEGATION_TOKEN_AUTHORIZATION_FAILED DELEGATION_TOKEN_EXPIRED INVALID_PRINCIPAL_TYPE NON_EMPTY_GROUP GROUP_ID_NOT_FOUND FETCH_SESSION_ID_NOT_FOUND
	INVALID_FETCH_SESSION_EPOCH LISTENER_NOT_FOUND TOPIC_DELETION_DISABLED FENCED_LEADER_EPOCH UNKNOWN_LEADER_EPOCH UNSUPPORTED_COMPRESSION_TYPE
	STALE_BROKER_EPOCH OFFSET_NOT_AVAILABLE MEMBER_ID_REQUIRED PREFERRED_LEADER_NOT_AVAILABLE GROUP_MAX_SIZE_REACHED FENCED_INSTANCE_ID
	ELIGIBLE_LEADERS_NOT_AVAILABLE ELECTION_NOT_NEEDED NO_REASSIGNMENT_IN_PROGRESS GROUP_SUBSCRIBED_TO_TOPIC INVALID_RECORD UNSTABLE_OFFSET_COMMIT
	THROTTLING_QUOTA_EXCEEDED PRODUCER_FENCED RESOURCE_NOT_FOUND DUPLICATE_RESOURCE UNACCEPTABLE_CREDENTIAL INCONSISTENT_VOTER_SET INVALID_UPDATE_VERSION
	FEATURE_UPDATE_FAILED PRINCIPAL_DESERIALIZATION_FAILURE SNAPSHOT_NOT_FOUND POSITION_OUT_OF_RANGE UNKNOWN_TOPIC_ID DUPLICATE_BROKER_REGISTRATION
	BROKER_ID_NOT_REGISTERED INCONSISTENT_TOPIC_ID INCONSISTENT_CLUSTER_ID TRANSACTIONAL_ID_NOT_FOUND FETCH_SESSION_TOPIC_ID_ERROR INELIGIBLE_REPLICA
	NEW_LEADER_ELECTED OFFSET_MOVED_TO_TIERED_STORAGE FENCED_MEMBER_EPOCH UNRELEASED_INSTANCE_ID UNSUPPORTED_ASSIGNOR STALE_MEMBER_EPOCH
	MISMATCHED_ENDPOINT_TYPE UNSUPPORTED_ENDPOINT_TYPE UNKNOWN_CONTROLLER_ID UNKNOWN_SUBSCRIPTION_ID TELEMETRY_TOO_LARGE INVALID_REGISTRATION
	TRANSACTION_ABORTABLE INVALID_RECORD_STATE SHARE_SESSION_NOT_FOUND INVALID_SHARE_SESSION_EPOCH FENCED_STATE_EPOCH INVALID_VOTER_KEY DUPLICATE_VOTER
	VOTER_NOT_FOUND INVALID_REGULAR_EXPRESSION REBOOTSTRAP_REQUIRED STREAMS_INVALID_TOPOLOGY STREAMS_INVALID_TOPOLOGY_EPOCH STREAMS_TOPOLOGY_FENCED
	SHARE_SESSION_LIMIT_REACHED GROUP_DELETION_FAILED STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED CONTROLLER_ID_NOT_REGISTERED`)

// errorName is what an error code is called; "" if it is not known. -1 is what a
// server has no word for.
func errorName(code int16) string {
	switch {
	case code == -1:
		return "UNKNOWN_SERVER_ERROR"
	case code > 0 && int(code) <= len(errorNames):
		return errorNames[code-1]
	}
	return ""
}
