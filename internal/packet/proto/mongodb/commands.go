package mongodb

import "strings"

// ofCollection has the commands whose first value is the name of a collection. Of
// others it may be anything, also a user or a piece of code.
var ofCollection = words(`find aggregate count distinct insert update delete findAndModify findandmodify create drop createIndexes dropIndexes
	deleteIndexes listIndexes collStats collstats collMod mapReduce mapreduce validate compact reIndex killCursors planCacheClear
	convertToCapped cloneCollectionAsCapped parallelCollectionScan geoNear geoSearch createSearchIndexes listSearchIndexes dropSearchIndex
	updateSearchIndex analyze`)

// commands are the names of those that come often, so that they need not be copied.
var commands = func() map[string]string {
	list := map[string]string{}
	for w := range ofCollection {
		list[w] = w
	}
	for w := range words(`hello isMaster ismaster ping buildInfo buildinfo getMore saslStart saslContinue authenticate getnonce logout
		startSession endSessions refreshSessions killSessions commitTransaction abortTransaction listCollections listDatabases dropDatabase
		dbStats dbstats serverStatus explain hostInfo getParameter setParameter getCmdLineOpts getLog currentOp killOp connectionStatus
		replSetGetStatus replSetHeartbeat replSetUpdatePosition replSetGetConfig top profile fsync whatsmyuri renameCollection bulkWrite
		usersInfo getLastError getlasterror shardingState getShardMap listCommands features atlasVersion connPoolStats`) {
		list[w] = w
	}
	return list
}()

func words(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}
